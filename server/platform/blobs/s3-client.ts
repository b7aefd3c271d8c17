/**
 * Requests to a bucket of any S3-compatible store, each presigned (SigV4 in the query). The endpoint comes from the
 * operator's environment, not from a user, and is usually on a private network: it does not go through safe-fetch.
 */
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { AppError, diskFull, unavailable } from '../http/errors.ts';

export interface S3Call {
  method: 'GET' | 'PUT' | 'DELETE' | 'POST';
  query?: Record<string, string>;
  /** The request must have exactly these headers. */
  headers?: Record<string, string>;
  /** Sent, but not part of the signature. */
  unsigned?: Record<string, string>;
  body?: Readable | Buffer | string;
}

export interface S3Settings {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

export interface S3Client {
  presign(key: string, call: S3Call, seconds: number): Promise<string>;
  /** Null: there is nothing under the key. */
  ask(key: string, call: S3Call): Promise<Dispatcher.ResponseData | null>;
  /** Everything whose key begins with `prefix`, in order. */
  list(prefix: string): AsyncGenerator<{ key: string; bytes: number }>;
  close(): Promise<void>;
}

const ownRequestSeconds = 300;

export function createS3Client(settings: S3Settings): S3Client {
  const { accessKeyId, secretAccessKey, region } = settings;
  const addressOf = bucketAddress(settings);
  const agent = new Agent({ connections: 32, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const signingKeys = new Map<string, ArrayBuffer>();

  const client: S3Client = {
    async presign(key, { method, headers = {}, query = {} }, seconds) {
      const url = new URL(addressOf(key));
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      url.searchParams.set('X-Amz-Expires', String(seconds));
      const signer = new AwsV4Signer({
        method,
        url: url.href,
        headers,
        accessKeyId,
        secretAccessKey,
        region,
        service: 's3',
        signQuery: true,
        // Also signs Content-Type and Content-Length.
        allHeaders: true,
        cache: signingKeys,
      });
      return (await signer.sign()).url.href;
    },
    async ask(key, call) {
      const url = await client.presign(key, call, ownRequestSeconds);
      const { method, body = null } = call;
      let answer: Dispatcher.ResponseData;
      try {
        const headers = { ...call.headers, ...call.unsigned };
        answer = await request(url, { method, headers, body, dispatcher: agent });
      } catch {
        throw unavailable('the file store is not reachable right now');
      }
      if (answer.statusCode < 300) return answer;
      const told = await answer.body.text().catch(() => '');
      if (answer.statusCode === 404 && !told.includes('NoSuchBucket')) return null;
      throw refusalOf(answer.statusCode, told);
    },
    async *list(prefix) {
      for (let after = ''; ; ) {
        const query = { 'list-type': '2', prefix, ...(after && { 'continuation-token': after }) };
        const answer = await client.ask('', { method: 'GET', query });
        const text = (await answer?.body.text()) ?? '';
        for (const [, one = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          yield { key: elementOf(one, 'Key') ?? '', bytes: Number(elementOf(one, 'Size')) };
        }
        after = elementOf(text, 'NextContinuationToken') ?? '';
        if (after === '') return;
      }
    },
    close: () => agent.close(),
  };
  return client;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an element of an answer. */
export function elementOf(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found?.replaceAll(/&(\w+);/g, (whole, entity: string) => entities[entity] ?? whole) ?? null;
}

function bucketAddress({ endpoint, bucket, region, forcePathStyle }: S3Settings): (key: string) => string {
  const base = new URL(endpoint || `https://s3.${region}.amazonaws.com`);
  const path = base.pathname.replace(/\/+$/, '');
  return forcePathStyle
    ? (key) => `${base.origin}${path}/${bucket}${key && `/${key}`}`
    : (key) => `${base.protocol}//${bucket}.${base.host}${path}/${key}`;
}

/** The store's XML is not passed on: it may contain keys and names. */
function refusalOf(status: number, told: string): Error {
  const code = /<Code>(\w+)<\/Code>/.exec(told)?.[1] ?? 'no code';
  if (status === 507 || /StorageFull|QuotaExceeded/.test(code)) return diskFull();
  if (status >= 500 || status === 429) return unavailable('the file store cannot take this right now');
  return new AppError(503, 'UNAVAILABLE', `the file store refused the request (${status}, ${code})`, 60);
}
