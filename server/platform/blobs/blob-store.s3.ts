/**
 * A bucket of any S3-compatible store. Every request is presigned (SigV4 in the query): our own and the upload that a
 * client sends to the bucket directly. The endpoint comes from the operator's environment, not from a user, and is
 * usually on a private network: it does not go through safe-fetch.
 */
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import type { Config } from '../../config.ts';
import { AppError, diskFull, unavailable } from '../http/errors.ts';
import type { Drafts } from './blob-drafts.ts';
import { checkKey } from './blob-key.ts';
import type { BlobStore } from './blob-store.ts';

const ownRequestSeconds = 300;
/** The largest possible file; a draft of our own bucket is never larger. */
const largestFile = 64 * 1024 * 1024;

interface Call {
  method: 'GET' | 'PUT' | 'DELETE';
  /** The request must have exactly these headers. */
  headers?: Record<string, string>;
  /** Sent, but not part of the signature. */
  unsigned?: Record<string, string>;
  body?: Readable;
}

export function createS3Store(settings: Config['s3'], drafts: Drafts): BlobStore {
  const { accessKeyId, secretAccessKey, region } = settings;
  const addressOf = bucketAddress(settings);
  const agent = new Agent({ connections: 32, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const signingKeys = new Map<string, ArrayBuffer>();

  const presign = async (key: string, { method, headers = {} }: Call, seconds: number): Promise<string> => {
    const url = new URL(addressOf(checkKey(key)));
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
  };

  /** Null: there is nothing under the key. */
  const ask = async (key: string, call: Call): Promise<Dispatcher.ResponseData | null> => {
    const url = await presign(key, call, ownRequestSeconds);
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
  };

  const store: BlobStore = {
    takesUploads: true,
    drafts,
    async place(draft, key, contentType) {
      const headers = { 'content-type': contentType, 'content-length': String(draft.size) };
      const answer = await ask(key, { method: 'PUT', headers, body: draft.read() });
      await answer?.body.dump();
      if (!answer) throw unavailable('the bucket does not exist');
    },
    async open(key, range) {
      const unsigned = range && { range: `bytes=${range.start}-${range.end}` };
      return (await ask(key, { method: 'GET', unsigned }))?.body ?? null;
    },
    async withLocalFile(key, use) {
      const body = await store.open(key);
      if (!body) return null;
      const draft = await drafts.receive(
        body,
        largestFile,
        () => new Error('the file exceeds the maximum size'),
      );
      try {
        return await use(draft.path);
      } finally {
        await draft.discard();
      }
    },
    async delete(key) {
      await (await ask(key, { method: 'DELETE' }))?.body.dump();
    },
    presignPut: (key, { contentType, size }, seconds) => {
      const headers = { 'content-type': contentType, 'content-length': String(size) };
      return presign(key, { method: 'PUT', headers }, seconds);
    },
    close: () => agent.close(),
  };
  return store;
}

function bucketAddress({ endpoint, bucket, region, forcePathStyle }: Config['s3']): (key: string) => string {
  const base = new URL(endpoint || `https://s3.${region}.amazonaws.com`);
  const path = base.pathname.replace(/\/+$/, '');
  return forcePathStyle
    ? (key) => `${base.origin}${path}/${bucket}/${key}`
    : (key) => `${base.protocol}//${bucket}.${base.host}${path}/${key}`;
}

/** The store's XML is not passed on: it may contain keys and names. */
function refusalOf(status: number, told: string): Error {
  const code = /<Code>(\w+)<\/Code>/.exec(told)?.[1] ?? 'no code';
  if (status === 507 || /StorageFull|QuotaExceeded/.test(code)) return diskFull();
  if (status >= 500 || status === 429) return unavailable('the file store cannot take this right now');
  return new AppError(503, 'UNAVAILABLE', `the file store refused the request (${status}, ${code})`, 60);
}
