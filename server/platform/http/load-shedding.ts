/**
 * Limits how many requests are handled at a time. The others wait, and requests that have waited for a second are
 * rejected. Without a limit, an overloaded service makes all requests slower until they time out after their work was
 * done.
 *
 * A request passes two places: the gate, before routing, authentication and reading its body, where waiting is cheap,
 * and the queue, once its body is here. A rejection at the gate comes after the wait: clients that are rejected
 * immediately retry immediately, and answering them takes the time of served requests.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { version } from '../../../contract/version.ts';
import { newId } from '../ids.ts';
import { answerOf } from './error-handler.ts';
import { busy } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For health checks, and for WebSockets, which last for hours and have their own limits. */
    neverBusy?: true;
  }
  interface FastifyRequest {
    isArriving: boolean;
    isCounted: boolean;
    /** For requests that take as long as the client wants, such as uploads. */
    stopCounting(): void;
  }
}

export interface LoadLimits {
  maxRunning: number;
  /** Requests being authenticated, read, or waiting with their body. */
  maxQueued: number;
  /** Requests waiting before that; beyond this number, requests are rejected immediately. */
  maxAtGate: number;
  /** A request that waited longer is rejected; its response would come too late. */
  maxWaitMs: number;
}

/** 256 at a time keep the pool's 16 connections busy and group commits large. */
const defaultLoadLimits: LoadLimits = {
  maxRunning: 256,
  maxQueued: 256,
  maxAtGate: 10_000,
  maxWaitMs: 1_000,
};

/** Also answered when the service is busy: for monitoring, and for other nodes, which wait in their own queues. */
const exemptPaths = /^\/(?:health\/|metrics|version|internal\/)/;

/** Created once: an error's stack costs more than the rest of the rejection. */
const tooMany = busy();

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

interface AtGate {
  since: number;
  request: IncomingMessage;
  response: ServerResponse;
}

interface Gate {
  /** There is a free place: admits the newest request, whose client is most likely still waiting. */
  open(): void;
  rejectLate(): void;
}

/** In front of Fastify: through its hooks and its error handler a rejection costs a third of a create. */
function installGate(server: Server, isFull: () => boolean, limits: LoadLimits): Gate {
  const listeners = server.listeners('request') as RequestListener[];
  const waiting: AtGate[] = [];
  let isOpening = false;
  const enter = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (!isFull() || exemptPaths.test(request.url ?? '')) enter(request, response);
    else if (waiting.length < limits.maxAtGate) waiting.push({ since: performance.now(), request, response });
    else rejectRaw(response);
  });
  return {
    open() {
      // An admitted request may free a place at once; the running loop continues.
      if (isOpening) return;
      isOpening = true;
      try {
        while (waiting.length > 0 && !isFull()) {
          const { request, response } = waiting.pop()!;
          if (!response.destroyed) enter(request, response);
        }
      } finally {
        isOpening = false;
      }
    },
    rejectLate() {
      const oldest = performance.now() - limits.maxWaitMs;
      const firstInTime = waiting.findIndex(({ since }) => since >= oldest);
      const late = waiting.splice(0, firstInTime < 0 ? waiting.length : firstInTime);
      for (const { response } of late) if (!response.destroyed) rejectRaw(response);
    },
  };
}

interface Queued {
  since: number;
  begin(): void;
  reject(): void;
}

/** A client that takes longer to send its body is slow, and is not waited for. */
const readWithinMs = 100;

export function installLoadShedding(app: FastifyInstance, limits = defaultLoadLimits): void {
  const { maxRunning, maxQueued, maxWaitMs } = limits;
  const queue: Queued[] = [];
  let running = 0;
  /** Being authenticated: many wait for one result of the database and continue at the same moment. */
  let arriving = 0;
  /** Requests whose bodies are arriving: since when, oldest first. */
  const reading = new Map<FastifyRequest, number>();

  const gate = installGate(app.server, () => arriving + reading.size + queue.length >= maxQueued, limits);
  const arrived = (request: FastifyRequest) => {
    if (!request.isArriving) return;
    request.isArriving = false;
    arriving--;
  };
  const passOverSlow = () => {
    const oldest = performance.now() - readWithinMs;
    for (const [request, since] of reading) {
      if (since >= oldest) return;
      reading.delete(request);
    }
  };
  const rejectLate = () => {
    const oldest = performance.now() - maxWaitMs;
    while (queue.length > 0 && queue[0]!.since < oldest) queue.shift()!.reject();
    gate.rejectLate();
  };
  const end = (request: FastifyRequest) => {
    arrived(request);
    reading.delete(request);
    if (request.isCounted) {
      request.isCounted = false;
      running--;
      while (running < maxRunning && queue.length > 0) queue.shift()!.begin();
    }
    gate.open();
  };
  const isExempt = (request: FastifyRequest) => request.routeOptions.config.neverBusy === true;

  app.decorateRequest('isArriving', false);
  app.decorateRequest('isCounted', false);
  app.decorateRequest('stopCounting', function stopCounting(this: FastifyRequest) {
    end(this);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request)) return done();
    request.isArriving = true;
    arriving++;
    // Also for a client that disconnected before its response.
    reply.raw.once('close', () => end(request));
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    arrived(request);
    if (!isExempt(request)) reading.set(request, performance.now());
    done();
  });
  // Counted once its body is here: slow clients must not occupy the places of others.
  app.addHook('preValidation', (request, reply, done) => {
    if (isExempt(request)) return done();
    reading.delete(request);
    const begin = () => {
      // The client disconnected while its request waited: no event would end the count.
      if (reply.raw.destroyed) return done();
      request.isCounted = true;
      running++;
      done();
    };
    if (running < maxRunning) {
      begin();
      gate.open();
    } else if (queue.length >= maxQueued) done(tooMany);
    else queue.push({ since: performance.now(), begin, reject: () => done(tooMany) });
  });
  // The work is done once the response is ready: clients that read slowly must not occupy places either.
  app.addHook('onSend', (request, _reply, payload, done) => {
    end(request);
    done(null, payload);
  });
  const sweep = setInterval(() => {
    passOverSlow();
    rejectLate();
    gate.open();
  }, readWithinMs);
  sweep.unref();
  app.addHook('onClose', (_app, done) => {
    // Requests that wait while the service stops are still served or rejected. Without a listener there are none.
    if (app.server.listening) app.server.once('close', () => clearInterval(sweep));
    else clearInterval(sweep);
    done();
  });
}
