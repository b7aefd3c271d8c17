/**
 * Requests one address of a website: bounded, without following redirects, so that each hop is checked like any other
 * address.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { PageReason } from '../../../../contract/knowledge.ts';
import type { Headers } from '../../../platform/outbound/configured-headers.ts';
import { readRetryAfter } from '../../../platform/outbound/retry-after.ts';
import { OutboundError, type SafeFetch, type SafeResponse } from '../../../platform/outbound/safe-fetch.ts';
import type { HostPaces } from './host-pace.ts';
import { userAgent } from './robots.ts';

export const maxPageBytes = 10 * 1024 * 1024;
const defaultResponseWithinMs = 30_000;
const tries = 4;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
const redirects = new Set([301, 302, 303, 307, 308]);
const busy = new Set([429, 503]);

export interface WebClientDeps {
  safeFetch: Pick<SafeFetch, 'request'>;
  paces: HostPaces;
  /** For `origins` only. */
  headers: Headers;
  origins: readonly string[];
  signal: AbortSignal;
  /** The first wait before another try; 1 s. */
  retryMs?: number;
  /** 30 s. */
  responseWithinMs?: number;
}

export interface WebRequest {
  /** Between two requests, as robots.txt asks for. */
  delayMs: number;
  etag?: string | null;
  maxBytes?: number;
  /** Of a longer answer the beginning, uncompressed; otherwise it is too large. */
  takesBeginning?: boolean;
}

export type Fetched =
  | {
      kind: 'content';
      status: number;
      type: string;
      charset: string | null;
      bytes: Buffer;
      etag: string | null;
      robotsTag: string;
    }
  | { kind: 'not_modified'; status: 304 }
  | { kind: 'redirect'; status: number; location: string | null }
  | FetchProblem;

export interface FetchProblem {
  kind: 'problem';
  status: number | null;
  code: PageReason;
  reason: string;
  /** The host sent nothing, or an error of its own. */
  isHostFailing: boolean;
}

export interface WebClient {
  request(url: string, options: WebRequest): Promise<Fetched>;
}

export function createWebClient(deps: WebClientDeps): WebClient {
  const { safeFetch, paces, origins, signal, retryMs = firstRetryMs } = deps;
  const { responseWithinMs = defaultResponseWithinMs } = deps;

  const once = async (
    url: string,
    { etag, maxBytes = maxPageBytes, takesBeginning = false }: WebRequest,
  ): Promise<SafeResponse> =>
    safeFetch.request(url, {
      headers: {
        ...(origins.includes(new URL(url).origin) && deps.headers),
        accept: 'text/html, application/xhtml+xml, application/pdf, text/plain, text/markdown, */*;q=0.1',
        'accept-encoding': takesBeginning ? 'identity' : 'gzip, deflate, br',
        'user-agent': userAgent,
        ...(etag && { 'if-none-match': etag }),
      },
      totalTimeoutMs: responseWithinMs,
      maxReadBytes: maxBytes,
      keepBytes: maxBytes,
      signal,
    });

  return {
    async request(url, options) {
      for (let attempt = 1; ; attempt++) {
        const response = await paces
          .take(new URL(url).host, options.delayMs, signal, () => once(url, options))
          .catch((error: unknown) => {
            if (error instanceof OutboundError) return problemOf(error);
            throw error;
          });
        if ('kind' in response) return response;
        if (!busy.has(response.status)) return contentOf(response, options);
        if (attempt === tries) return failed(response.status, `${response.status}, tried ${tries} times`);
        const asked = readRetryAfter(response.headers['retry-after'], Date.now());
        const wait = Math.min(asked ?? retryMs * 2 ** (attempt - 1), longestRetryMs);
        await delay(wait, undefined, { signal });
      }
    },
  };
}

const failed = (status: number, reason: string): FetchProblem => ({
  kind: 'problem',
  status,
  code: 'http_error',
  reason,
  // A page that is not there says nothing about the host.
  isHostFailing: status !== 404 && status !== 410,
});

const problem = (code: PageReason, reason: string, isHostFailing: boolean): FetchProblem => ({
  kind: 'problem',
  status: null,
  code,
  reason,
  isHostFailing,
});

function problemOf({ code, message }: OutboundError): FetchProblem {
  if (code === 'ADDRESS_REFUSED')
    return problem('private_address', 'the address is on a private network', true);
  if (code === 'TIMEOUT' || code === 'CONNECT_TIMEOUT') return problem('timeout', message, true);
  return problem('http_error', message, true);
}

async function contentOf(
  response: SafeResponse,
  { maxBytes = maxPageBytes, takesBeginning = false }: WebRequest,
): Promise<Fetched> {
  const { status, headers } = response;
  if (status === 304) return { kind: 'not_modified', status };
  if (redirects.has(status)) return { kind: 'redirect', status, location: headers.location ?? null };
  if (status < 200 || status >= 300) return failed(status, `the site answered ${status}`);
  const tooLarge = `larger than ${Math.round(maxBytes / 1024 / 1024)} MB`;
  if (response.truncated && !takesBeginning) return { ...problem('too_large', tooLarge, false), status };
  const bytes = await decompressed(response, maxBytes);
  if (bytes === 'too large') return { ...problem('too_large', tooLarge, false), status };
  if (bytes === 'broken') return failed(status, 'the compression of the answer is broken');
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(one)?.[1]).find(Boolean);
  return {
    kind: 'content',
    status,
    type: type.trim().toLowerCase(),
    charset: charset ?? null,
    bytes,
    etag: headers.etag && headers.etag.length <= 1_000 ? headers.etag : null,
    robotsTag: (headers['x-robots-tag'] ?? '').toLowerCase(),
  };
}

const decompress: Record<string, (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

async function decompressed(
  { headers, bytes }: SafeResponse,
  maxBytes: number,
): Promise<Buffer | 'too large' | 'broken'> {
  const codings = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== 'identity');
  if (codings.length === 0 || bytes.length === 0) return bytes;
  const read = codings.length === 1 ? decompress[codings[0]!] : undefined;
  if (!read) return 'broken';
  return unpack(read, bytes, maxBytes);
}

/** Of a file that is compressed itself, such as `sitemap.xml.gz`. */
export async function gunzipped(bytes: Buffer, maxBytes: number): Promise<Buffer | null> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = await unpack(promisify(gunzip), bytes, maxBytes);
  return typeof unpacked === 'string' ? null : unpacked;
}

async function unpack(
  read: (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>,
  bytes: Buffer,
  maxOutputLength: number,
): Promise<Buffer | 'too large' | 'broken'> {
  try {
    return await read(bytes, { maxOutputLength });
  } catch (error) {
    return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'broken';
  }
}
