/**
 * Rejects requests at once while too many are being worked on. Beyond what a machine can do, more requests at a time only
 * make all of them slower, until they time out after their work was done. A rejection costs a small part of a request,
 * since it comes before authentication and before the body is read.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { busy } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For whoever watches the service: answered also when it is busy. */
    neverBusy?: true;
  }
  interface FastifyRequest {
    isCounted: boolean;
    /** For what takes as long as its client likes, such as an upload. */
    stopCounting(): void;
  }
}

/** By Little's law 500 at a time are 170 ms each at 3,000 a second; the database's pool works on 16 of them. */
const maxRunning = 500;

export function installLoadShedding(app: FastifyInstance, limit = maxRunning): void {
  let running = 0;
  app.decorateRequest('isCounted', false);
  const end = (request: FastifyRequest) => {
    if (!request.isCounted) return;
    request.isCounted = false;
    running--;
  };
  app.decorateRequest('stopCounting', function stopCounting(this: FastifyRequest) {
    end(this);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    // A WebSocket lasts for hours and has limits of its own.
    if (request.routeOptions.config.neverBusy || request.headers.upgrade !== undefined) return done();
    if (running >= limit) return done(busy());
    done();
  });
  // Counted once its body is here: clients that send slowly must not fill the places of others.
  app.addHook('preValidation', (request, reply, done) => {
    if (request.routeOptions.config.neverBusy || request.headers.upgrade !== undefined) return done();
    request.isCounted = true;
    running++;
    // Also for a client that has gone before its answer.
    reply.raw.once('close', () => end(request));
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    end(request);
    done();
  });
}
