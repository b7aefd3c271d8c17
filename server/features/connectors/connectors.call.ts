/**
 * The only way to a provider: requests over safe-fetch, failures as ProviderError. No error has a credential in it, also
 * where a provider has them in its addresses.
 */
import { randomBytes } from 'node:crypto';
import { OutboundError, type SafeFetch, type SafeResponse } from '../../platform/outbound/safe-fetch.ts';
import { type ProviderAnswer, ProviderError, type ProviderRequest } from './connectors.provider.ts';

const defaultTimeoutMs = 15_000;
const defaultMaxBytes = 1024 * 1024;
const maxRedirects = 5;
const shortestSecret = 4;

/** Replaces every secret that a text contains. */
export type Redact = (text: string) => string;

export function createRedact(secrets: readonly string[]): Redact {
  const forms = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((clean, secret) => clean.replaceAll(secret, '…'), text);
}

export function createCall(
  safeFetch: Pick<SafeFetch, 'request'>,
  redact: Redact,
): (request: ProviderRequest) => Promise<ProviderAnswer> {
  const send = async (request: ProviderRequest, url: string, headers: Record<string, string>) => {
    const { body, contentType } = bodyOf(request);
    const method = request.method ?? (body === undefined ? 'GET' : 'POST');
    const maxBytes = request.maxBytes ?? defaultMaxBytes;
    try {
      return await safeFetch.request(url, {
        method,
        headers: contentType === null ? headers : { 'content-type': contentType, ...headers },
        body,
        totalTimeoutMs: request.timeoutMs ?? defaultTimeoutMs,
        maxReadBytes: maxBytes,
        keepBytes: maxBytes,
        signal: request.signal,
      });
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      throw toProviderError(error, method, url, redact);
    }
  };
  return async (request) => {
    let { url } = request;
    let headers = request.headers ?? {};
    for (let hops = 0; ; hops++) {
      const response = await send(request, url, headers);
      const next = hops < maxRedirects ? redirectOf(request, url, response) : null;
      if (next === null) return answerOf(response, request.maxBytes ?? defaultMaxBytes);
      // Credentials are for the provider, not for the store that it redirects to.
      headers = {};
      url = next;
    }
  };
}

/** Of files only: a redirected write would be sent to an address that was never configured. */
function redirectOf(request: ProviderRequest, url: string, response: SafeResponse): string | null {
  const { status } = response;
  const isRead = (request.method ?? 'GET') === 'GET' && bodyOf(request).body === undefined;
  if (!isRead || status < 300 || status > 399) return null;
  const { location } = response.headers;
  return location !== undefined && URL.canParse(location, url) ? new URL(location, url).href : null;
}

function answerOf(response: SafeResponse, maxBytes: number): ProviderAnswer {
  if (response.truncated) {
    throw new ProviderError('final', `it is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
  }
  const { status, headers, bytes } = response;
  return {
    status,
    headers,
    bytes,
    get json() {
      try {
        return JSON.parse(bytes.toString('utf8')) as unknown;
      } catch {
        return undefined;
      }
    },
  };
}

/** Failed before anything was sent, so it can be sent again. */
const unsent = new Set(['ADDRESS_REFUSED', 'BAD_REQUEST', 'DNS', 'CONNECT', 'CONNECT_TIMEOUT', 'TLS']);

/** Names the host alone: the rest of the address may have a credential in it. */
function toProviderError(error: unknown, method: string, url: string, redact: Redact): ProviderError {
  const { code, message } =
    error instanceof OutboundError ? error : new OutboundError('CONNECT', 'connection failed');
  const isLost = method !== 'GET' && !unsent.has(code);
  const host = URL.canParse(url) ? ` at ${new URL(url).host}` : '';
  return new ProviderError(
    isLost ? 'lost' : 'retry',
    redact(`The provider${host} cannot be reached: ${message}.`),
  );
}

function bodyOf({ json, form, multipart }: ProviderRequest): {
  body: string | Buffer | undefined;
  contentType: string | null;
} {
  if (json !== undefined) return { body: JSON.stringify(json), contentType: 'application/json' };
  if (form !== undefined) {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) {
      for (const one of typeof value === 'string' ? [value] : value) fields.append(name, one);
    }
    return { body: fields.toString(), contentType: 'application/x-www-form-urlencoded' };
  }
  return multipart === undefined ? { body: undefined, contentType: null } : multipartOf(multipart);
}

function multipartOf({ fields, file }: NonNullable<ProviderRequest['multipart']>): {
  body: Buffer;
  contentType: string;
} {
  const boundary = `talkboard-${randomBytes(16).toString('hex')}`;
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(fields)) {
    parts.push(
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
      ),
    );
  }
  const disposition = `form-data; name="${quoted(file.field)}"; filename="${quoted(file.name)}"`;
  const type = file.type.replaceAll(/[\r\n]/g, ' ');
  parts.push(
    Buffer.from(`--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${type}\r\n\r\n`),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  );
  return { body: Buffer.concat(parts), contentType: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers write names in a form. */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
