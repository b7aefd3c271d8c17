/**
 * Bounds how many requests are worked on at a time; the others wait for a moment, and beyond that they are rejected at
 * once. Without a bound, more requests than the machine can serve make all of them slower, until they time out after
 * their work was done. A full queue rejects before authentication and before the body is read.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { busy } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For health checks, and for WebSockets, which last for hours and have limits of their own. */
    neverBusy?: true;
  }
  interface FastifyRequest {
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

interface Waiting {
  since: number;
  begin(): void;
  reject(): void;
}

export function installLoadShedding(app: FastifyInstance, limits = defaultLoadLimits): void {
  const { maxRunning, maxWaiting, maxWaitMs } = limits;
  const waiting: Waiting[] = [];
  let running = 0;

  const rejectLate = () => {
    const oldest = performance.now() - maxWaitMs;
    while (waiting.length > 0 && waiting[0]!.since < oldest) waiting.shift()!.reject();
  };
  const end = (request: FastifyRequest) => {
    if (!request.isCounted) return;
    request.isCounted = false;
    running--;
    rejectLate();
    if (running < maxRunning) waiting.shift()?.begin();
  };
  const isExempt = (request: FastifyRequest) => request.routeOptions.config.neverBusy === true;

  app.decorateRequest('isCounted', false);
  app.decorateRequest('stopCounting', function stopCounting(this: FastifyRequest) {
    end(this);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (waiting.length >= maxWaiting && !isExempt(request)) done(busy());
    else done();
  });
  // Counted once its body is here: clients that send slowly must not fill the places of others.
  app.addHook('preValidation', (request, reply, done) => {
    if (isExempt(request)) return done();
    const begin = () => {
      request.isCounted = true;
      running++;
      // Also for a client that has gone before its answer.
      reply.raw.once('close', () => end(request));
      done();
    };
    if (running < maxRunning) begin();
    else if (waiting.length >= maxWaiting) done(busy());
    else waiting.push({ since: performance.now(), begin, reject: () => done(busy()) });
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
