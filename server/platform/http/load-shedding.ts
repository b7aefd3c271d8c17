/**
 * Bounds how many requests are worked on at a time; the others wait for a moment, and beyond that they are rejected at
 * once. Without a bound, more requests than the machine can serve make all of them slower, until they time out after
 * their work was done. A full queue rejects before authentication and before the body is read.
 */
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { version } from '../../../contract/version.ts';
import { answerOf } from '../error-handler.ts';
import { busy } from '../errors.ts';
import { newId } from '../ids.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For health checks, and for WebSockets, which last for hours and have limits of their own. */
    neverBusy?: true;
  }
  interface FastifyRequest {
    isArriving: boolean;
    isCounted: boolean;
    /** For what takes as long as its client likes, such as an upload. */
    stopCounting(): void;
  }
}

export interface LoadLimits {
  maxRunning: number;
  maxWaiting: number;
  /** A request that waited longer is rejected; with its own work it would come too late. */
  maxWaitMs: number;
}

/** 256 at a time keep the pool's 16 connections busy and group commits large; a burst of a thousand more is absorbed. */
export const defaultLoadLimits: LoadLimits = { maxRunning: 256, maxWaiting: 1_000, maxWaitMs: 1_000 };
/** After a rejection the queue is kept as short as this share until there was none for so long: overload, no burst. */
const overloadMs = 1_000;
const overloadShare = 1 / 4;

interface Waiting {
  since: number;
  begin(): void;
  reject(): void;
}

/** Also answered when the service is busy: for whoever watches it. */
const exemptPaths = /^\/(?:health\/|metrics|version)/;

/**
 * In front of Fastify: through its hooks and its error handler a rejection costs a third of a create, and at twice the
 * load there are as many of them as creates.
 */
function rejectBeforeRouting(server: Server, isFull: () => boolean): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (isFull() && !exemptPaths.test(request.url ?? '')) rejectRaw(response);
    else for (const listener of listeners) listener.call(server, request, response);
  });
}

function rejectRaw(response: ServerResponse): void {
  const requestId = newId();
  const { status, headers, body } = answerOf(tooMany, requestId);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-request-id': requestId,
    'x-api-version': version,
  });
  response.end(text);
}

/** Made once: an error's stack costs more than the rest of the rejection. */
const tooMany = busy();

export function installLoadShedding(app: FastifyInstance, limits = defaultLoadLimits): void {
  const { maxRunning, maxWaiting, maxWaitMs } = limits;
  const waiting: Waiting[] = [];
  let running = 0;
  /** Being authenticated: many wait for one answer of the database, and go on at the same moment. */
  let arriving = 0;
  let rejectedAt = Number.NEGATIVE_INFINITY;

  const isFull = () => {
    const queued = arriving + waiting.length;
    if (queued < maxWaiting * overloadShare) return false;
    const now = performance.now();
    if (queued < maxWaiting && now - rejectedAt > overloadMs) return false;
    rejectedAt = now;
    return true;
  };
  const arrived = (request: FastifyRequest) => {
    if (!request.isArriving) return;
    request.isArriving = false;
    arriving--;
  };
  const rejectLate = () => {
    const oldest = performance.now() - maxWaitMs;
    while (waiting.length > 0 && waiting[0]!.since < oldest) waiting.shift()!.reject();
  };
  const end = (request: FastifyRequest) => {
    arrived(request);
    if (!request.isCounted) return;
    request.isCounted = false;
    running--;
    rejectLate();
    while (running < maxRunning && waiting.length > 0) waiting.shift()!.begin();
  };
  const isExempt = (request: FastifyRequest) => request.routeOptions.config.neverBusy === true;

  app.decorateRequest('isArriving', false);
  app.decorateRequest('isCounted', false);
  app.decorateRequest('stopCounting', function stopCounting(this: FastifyRequest) {
    end(this);
  });
  rejectBeforeRouting(app.server, isFull);
  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request)) return done();
    request.isArriving = true;
    arriving++;
    // Also for a client that has gone before its answer.
    reply.raw.once('close', () => end(request));
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    arrived(request);
    done();
  });
  // Counted once its body is here: clients that send slowly must not fill the places of others.
  app.addHook('preValidation', (request, reply, done) => {
    if (isExempt(request)) return done();
    const begin = () => {
      // The client has gone while its request waited: no event would end the count.
      if (reply.raw.destroyed) return done();
      request.isCounted = true;
      running++;
      done();
    };
    if (running < maxRunning) begin();
    else if (waiting.length >= maxWaiting) done(tooMany);
    else waiting.push({ since: performance.now(), begin, reject: () => done(tooMany) });
  });
  // The work is done once the answer is ready: clients that read it slowly must not fill the places of others either.
  app.addHook('onSend', (request, _reply, payload, done) => {
    end(request);
    done(null, payload);
  });
  const sweep = setInterval(rejectLate, maxWaitMs / 4);
  sweep.unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(sweep);
    done();
  });
}
