/**
 * Limits how many requests are handled at a time. The others wait, and requests that have waited too long are rejected.
 * Without a limit, an overloaded service makes all requests slower until they time out after their work was done.
 *
 * A request passes two places: the gate, before routing, authentication and reading its body, where waiting is cheap,
 * and the queue, once its body is here. The time that a request waits counts over both places. A rejection at
 * the gate comes late, and at a random moment: clients that are rejected immediately retry immediately, those that are
 * rejected together return together, and answering them takes the time of served requests.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { version } from '../../../contract/version.ts';
import { newId } from '../ids.ts';
import { answerOf } from './error-handler.ts';
import { busy } from './errors.ts';
import { answerHeaders } from './security-headers.ts';

declare module 'node:http' {
  interface IncomingMessage {
    /** At the gate, if it did. */
    waitedMs?: number;
  }
}
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
  /**
   * A request that has waited longer is rejected: its response would come too late. At the gate it is rejected after at
   * most twice this time.
   */
  maxWaitMs: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/**
 * 256 at a time keep the pool's 16 connections busy and group commits large. The queue only bridges the time until the
 * next request from the gate is ready: more would add to the time of every response.
 */
const defaultLoadLimits: LoadLimits = {
  maxRunning: 256,
  maxQueued: 128,
  maxAtGate: 10_000,
  maxWaitMs: 1_000,
};

const monotonic = () => performance.now();

/** Also answered when the service is busy: for monitoring, and for other nodes, which wait in their own queues. */
const exemptPaths = /^\/(?:health\/|metrics|version|internal\/)/;

/** Created once: an error's stack costs more than the rest of the rejection. */
const tooMany = busy();

/** A rejection is the same text but for its id. */
const placeOfId = newId();
const { status: rejectedStatus, headers: rejectedHeaders, body: rejectedBody } = answerOf(tooMany, placeOfId);
const [beforeId, afterId] = JSON.stringify(rejectedBody).split(placeOfId) as [string, string];
const constantHeaders = Object.entries({
  ...answerHeaders,
  ...rejectedHeaders,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(beforeId + placeOfId + afterId)),
  'x-api-version': version,
}).flat();

function rejectRaw(response: ServerResponse): void {
  const requestId = newId();
  response.writeHead(rejectedStatus, [...constantHeaders, 'x-request-id', requestId]);
  response.end(beforeId + requestId + afterId);
}

interface AtGate {
  since: number;
  rejectAt: number;
  request: IncomingMessage;
  response: ServerResponse;
}

interface Gate {
  /** There is a free place: admits the newest request, whose client is most likely still waiting. */
  open(): void;
  rejectLate(): void;
  isEmpty(): boolean;
}

interface Fullness {
  isFull(): boolean;
  /** How much of all places is taken, 0 to 1. */
  share(): number;
}

/** In front of Fastify: through its hooks and its error handler a rejection costs a third of a create. */
function installGate(
  server: Server,
  { isFull, share }: Fullness,
  { maxQueued, maxAtGate, maxWaitMs, now = monotonic }: LoadLimits,
): Gate {
  const listeners = server.listeners('request') as RequestListener[];
  /** Oldest first. */
  let waiting: AtGate[] = [];
  let isOpening = false;
  const enter = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  const wait = (request: IncomingMessage, response: ServerResponse) => {
    const since = now();
    waiting.push({ since, rejectAt: since + maxWaitMs * (1 + Math.random()), request, response });
  };
  // The fuller the service, the longer an admitted request will take from here.
  const isInTime = ({ since }: AtGate) => now() - since < maxWaitMs * (1 - share() / 2);
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (!isFull() || exemptPaths.test(request.url ?? '')) enter(request, response);
    else if (waiting.length < maxAtGate) wait(request, response);
    else rejectRaw(response);
  });
  return {
    open() {
      // An admitted request may free a place at once; the running loop continues.
      if (isOpening || waiting.length === 0) return;
      isOpening = true;
      try {
        while (waiting.length > 0 && !isFull() && isInTime(waiting.at(-1)!)) {
          const { since, request, response } = waiting.pop()!;
          if (response.destroyed) continue;
          request.waitedMs = now() - since;
          enter(request, response);
        }
      } finally {
        isOpening = false;
      }
    },
    rejectLate() {
      const time = now();
      // With little to do nothing is gained by the delay, and clients that return are served.
      let early = share() < 0.5 ? maxQueued : 0;
      const isLate = ({ since, rejectAt }: AtGate) =>
        rejectAt <= time || (since + maxWaitMs <= time && early-- > 0);
      const late: AtGate[] = [];
      const others: AtGate[] = [];
      for (const entry of waiting) (isLate(entry) ? late : others).push(entry);
      waiting = others;
      for (const { response } of late) if (!response.destroyed) rejectRaw(response);
    },
    isEmpty: () => waiting.length === 0,
  };
}

interface Queued {
  since: number;
  begin(): void;
  reject(): void;
}

const hasBody = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD';

/** A client that takes longer to send its body is slow, and is not waited for. */
const readWithinMs = 100;
/** Short, so that few requests are rejected at a time: meanwhile no other is served. */
const sweepMs = 20;

export function installLoadShedding(app: FastifyInstance, limits = defaultLoadLimits): void {
  const { maxRunning, maxQueued, maxWaitMs, now = monotonic } = limits;
  let queue: Queued[] = [];
  let running = 0;
  /** Being authenticated: many wait for one result of the database and continue at the same moment. */
  let arriving = 0;
  /** Requests whose bodies are arriving: since when, oldest first. */
  const reading = new Map<FastifyRequest, number>();

  const entered = () => arriving + reading.size + queue.length;
  const gate = installGate(
    app.server,
    {
      isFull: () => entered() >= maxQueued,
      share: () => (entered() + running) / (maxQueued + maxRunning),
    },
    limits,
  );
  const arrived = (request: FastifyRequest) => {
    if (!request.isArriving) return;
    request.isArriving = false;
    arriving--;
  };
  const passOverSlow = () => {
    const oldest = now() - readWithinMs;
    for (const [request, since] of reading) {
      if (since >= oldest) return;
      reading.delete(request);
    }
  };
  const rejectLate = () => {
    const oldest = now() - maxWaitMs;
    // In no order of arrival: the gate admits the newest first.
    const late = queue.filter(({ since }) => since < oldest);
    if (late.length > 0) queue = queue.filter(({ since }) => since >= oldest);
    for (const { reject } of late) reject();
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
  const isExempt = (request: FastifyRequest) => request.routeConfig.neverBusy === true;
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    // The client disconnected while its request waited: no event would end the count.
    if (reply.raw.destroyed) return;
    request.isCounted = true;
    running++;
  };

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
    reply.raw.on('close', () => end(request));
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    arrived(request);
    if (hasBody(request) && !isExempt(request)) reading.set(request, now());
    done();
  });
  // Counted once its body is here: slow clients must not occupy the places of others.
  app.addHook('preValidation', (request, reply, done) => {
    if (isExempt(request)) return done();
    reading.delete(request);
    if (running < maxRunning) {
      begin(request, reply);
      done();
      gate.open();
    } else if (queue.length >= maxQueued) done(tooMany);
    else {
      const beginLate = () => {
        begin(request, reply);
        done();
      };
      const since = now() - (request.raw.waitedMs ?? 0);
      queue.push({ since, begin: beginLate, reject: () => done(tooMany) });
    }
  });
  // The work is done once the response is ready: clients that read slowly must not occupy places either.
  app.addHook('onSend', (request, _reply, payload, done) => {
    end(request);
    done(null, payload);
  });
  let isClosing = false;
  const sweep = setInterval(() => {
    passOverSlow();
    rejectLate();
    gate.open();
    if (isClosing && gate.isEmpty() && entered() + running === 0) clearInterval(sweep);
  }, sweepMs);
  sweep.unref();
  app.addHook('onClose', (_app, done) => {
    // Requests that wait while the service stops are still served or rejected. The app of a cell has no listener of its
    // own, and gets no more of them now.
    if (app.server.listening) app.server.once('close', () => clearInterval(sweep));
    else isClosing = true;
    done();
  });
}
