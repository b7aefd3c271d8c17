// The only way to call an address that a user configured (webhooks, an agent's baseUrl).
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { currentTrace } from '../telemetry/tracing.ts';
import { type OutboundAllow, type OutboundLookup, readHttpUrl, systemLookup } from './outbound-address.ts';
import { notConnected, OutboundError, timedOut, toOutboundError } from './outbound-error.ts';
import { OutboundExchange, type SafeResponse } from './outbound-exchange.ts';
import { createOutboundPools, type OutboundPools, shareLookups } from './outbound-pools.ts';
import { inCallSpan, noteStatus } from './outbound-spans.ts';

export { OutboundError, type OutboundErrorCode } from './outbound-error.ts';
export type { SafeResponse } from './outbound-exchange.ts';

export interface SafeRequest {
  /** POST if there is a body, otherwise GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  headers?: Record<string, string>;
  body?: string | Buffer;
  connectTimeoutMs?: number;
  /** From the call to the last byte of the response. */
  totalTimeoutMs?: number;
  maxReadBytes?: number;
  keepBytes?: number;
  /** Aborting rejects with the signal's reason, not with an OutboundError. */
  signal?: AbortSignal;
  /** Called when the request has its connection, right before it is sent. */
  onStart?: () => void;
}

export interface SafeFetchOptions {
  allow: OutboundAllow;
  /** Per origin; further requests wait, within their total time. */
  connections?: number;
  /** The same for streams. */
  streamConnections?: number;
  lookup?: OutboundLookup;
}

export interface SafeFetch {
  /** Redirects are returned as their 3xx status. Rejects with OutboundError if there is no complete response. */
  request(url: string, req: SafeRequest): Promise<SafeResponse>;
  /** WHATWG fetch for model clients: streams, follows no redirect, fails with TypeError whose cause is OutboundError. */
  fetch: typeof globalThis.fetch;
  stats(): { origins: number; connections: number };
  /** Aborts everything still running: let the jobs end first. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const TOTAL_TIMEOUT_MS = 15_000;
/** A model may take minutes, but no stream may hold its connection forever. */
const STREAM_TIMEOUT_MS = 600_000;
const STREAM_MAX_BYTES = 16 * 1024 * 1024;

/**
 * These belong to the connection, which several callers share. Host would also change the name the certificate is
 * checked for.
 */
const ownHeaders = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);

interface Target {
  origin: string;
  path: string;
}

/** What addresses say; nothing about where they lead, which is asked at every connection. */
const targetsRead = new LRUCache<string, Target>({ max: 500 });

function readTarget(text: string): Target {
  const known = targetsRead.get(text);
  if (known) return known;
  const { url, reason } = readHttpUrl(text);
  if (!url) throw new OutboundError('ADDRESS_REFUSED', `the address ${reason}`);
  const target = { origin: url.origin, path: url.pathname + url.search };
  targetsRead.set(text, target);
  return target;
}

/** Header names already checked: a caller uses the same ones in every call. */
const goodNames = new Set<string>();
const namesKept = 100;

function checkName(name: string): void {
  if (goodNames.has(name)) return;
  if (ownHeaders.has(name.toLowerCase())) throw new TypeError('reserved header');
  validateHeaderName(name);
  if (goodNames.size < namesKept) goodNames.add(name);
}

/** undici would reject most of these too, but without naming the header, and after creating a pool for the origin. */
function checkHeaders(headers: Record<string, string>): void {
  for (const name of Object.keys(headers)) {
    try {
      checkName(name);
      validateHeaderValue(name, headers[name]!);
    } catch (error) {
      const shown = JSON.stringify(name.slice(0, 100));
      throw new OutboundError('BAD_REQUEST', `header ${shown} cannot be sent`, { cause: error });
    }
  }
}

/** Of a configured header: whether a request would send it. */
export function canSendHeader(name: string, value: string): boolean {
  try {
    checkHeaders({ [name]: value });
    return true;
  } catch {
    return false;
  }
}

/** Without a listener the error of destroy() would end the process. */
const discard = (body: Readable): void => void body.on('error', () => {}).destroy();

function boundedBody(body: Readable, signal: AbortSignal, finish: () => void): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const end = () => {
    finish();
    discard(body);
  };
  let size = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        try {
          const { done, value } = await chunks.next();
          if (done) {
            finish();
            stream.close();
            return;
          }
          size += value.length;
          if (size > STREAM_MAX_BYTES)
            throw new OutboundError('TOO_LARGE', 'the answer is larger than 16 MiB');
          stream.enqueue(value);
        } catch (error) {
          end();
          throw signal.aborted ? signal.reason : toOutboundError(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

function toResponse(answer: Dispatcher.ResponseData, signal: AbortSignal, finish: () => void): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each ?? '');
  }
  // These statuses have no body by definition, and Response insists on it.
  const empty = [204, 205, 304].includes(answer.statusCode);
  const body = empty ? null : boundedBody(answer.body, signal, finish);
  const response = new Response(body, { status: answer.statusCode, headers });
  if (empty) {
    answer.body.resume();
    finish();
  }
  return response;
}

/** Calls `onStart` when a request has got its connection. */
const noticeStart = (pool: Dispatcher, onStart: () => void): Dispatcher =>
  pool.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      onStart();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  });

/**
 * Built on the pools, not on undici's fetch: that supports data: and blob:, follows redirects by default and
 * decompresses everything, so that a few compressed kilobytes fill the memory. Nothing here asks for compression.
 */
function createGuardedFetch(pools: OutboundPools, checkOpen: () => void): typeof globalThis.fetch {
  const send = async (request: Request): Promise<Response> => {
    const { origin, path } = readTarget(request.url);
    // fetch drops such headers silently, and clients rely on it.
    const headers = Object.fromEntries([...request.headers].filter(([name]) => !ownHeaders.has(name)));
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    checkOpen();
    const deadline = new AbortController();
    let isSent = false;
    const timer = setTimeout(() => {
      const ms = STREAM_TIMEOUT_MS;
      deadline.abort(isSent ? timedOut('no complete answer', ms) : notConnected(ms));
    }, STREAM_TIMEOUT_MS);
    timer.unref();
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    // undici looks at the signal only when the request has a connection.
    const gaveUp = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => isSent || reject(signal.reason), { once: true });
    });
    try {
      signal.throwIfAborted();
      const method = request.method as Dispatcher.HttpMethod;
      const pool = noticeStart(pools.poolFor(origin), () => {
        isSent = true;
      });
      const answer = await Promise.race([pool.request({ path, method, headers, body, signal }), gaveUp]);
      try {
        return toResponse(answer, signal, () => clearTimeout(timer));
      } catch (error) {
        discard(answer.body);
        throw new OutboundError('BAD_RESPONSE', 'the answer is not valid HTTP', { cause: error });
      }
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
  return async (input, init) => {
    const request = new Request(input, init);
    try {
      if (currentTrace() === null) return await send(request);
      return await inCallSpan(request.method, request.url, async (span, headers) => {
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
        const response = await send(request);
        noteStatus(span, response.status);
        return response;
      });
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw new TypeError('fetch failed', { cause: toOutboundError(error) });
    }
  };
}

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const lookup = shareLookups(options.lookup ?? systemLookup);
  const newPools = (connectTimeoutMs: number, connections: number) =>
    createOutboundPools({ allow: options.allow, lookup, connectTimeoutMs, connections });

  // A connection serves many requests, so its timeout belongs to the pool: one set of pools for each value in use,
  // currently one. Streams last for minutes and have separate connections, so that webhooks do not wait for them.
  const byConnectTimeout = new Map<number, OutboundPools>();
  const streams = newPools(CONNECT_TIMEOUT_MS, options.streamConnections ?? 256);
  const all = () => [streams, ...byConnectTimeout.values()];
  let closed = false;
  const checkOpen = () => {
    if (closed) throw new OutboundError('CONNECT', 'the service is shutting down');
  };
  const poolsFor = (connectTimeoutMs: number): OutboundPools => {
    let pools = byConnectTimeout.get(connectTimeoutMs);
    if (!pools) {
      pools = newPools(connectTimeoutMs, options.connections ?? 32);
      byConnectTimeout.set(connectTimeoutMs, pools);
    }
    return pools;
  };

  const exchange = (url: string, req: SafeRequest): Promise<SafeResponse> =>
    // An error thrown in here rejects the promise.
    new Promise((resolve, reject) => {
      checkOpen();
      const { origin, path } = readTarget(url);
      const headers = req.headers ?? {};
      checkHeaders(headers);
      const body = req.body ?? null;
      const method = req.method ?? (body === null ? 'GET' : 'POST');
      const answer = new OutboundExchange(
        {
          totalTimeoutMs: req.totalTimeoutMs ?? TOTAL_TIMEOUT_MS,
          maxReadBytes: req.maxReadBytes ?? 64 * 1024,
          keepBytes: req.keepBytes ?? 4 * 1024,
          signal: req.signal,
          onStart: req.onStart,
        },
        resolve,
        reject,
      );
      if (answer.settled) return;
      const pool = poolsFor(req.connectTimeoutMs ?? CONNECT_TIMEOUT_MS).poolFor(origin);
      pool.dispatch({ origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }, answer);
    });

  return {
    async request(url, req) {
      if (currentTrace() === null) return exchange(url, req);
      const method = req.method ?? (req.body === undefined ? 'GET' : 'POST');
      return inCallSpan(method, url, async (span, headers) => {
        const response = await exchange(url, { ...req, headers: { ...req.headers, ...headers } });
        noteStatus(span, response.status);
        return response;
      });
    },
    fetch: createGuardedFetch(streams, checkOpen),
    stats() {
      const stats = all().map((pools) => pools.stats());
      return {
        origins: stats.reduce((sum, { origins }) => sum + origins, 0),
        connections: stats.reduce((sum, { connections }) => sum + connections, 0),
      };
    },
    async close() {
      closed = true;
      await Promise.all(all().map((pools) => pools.destroy()));
    },
  };
}
