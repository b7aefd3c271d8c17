/** The Fastify instance with everything that holds for every request: ids, version, body reading, errors. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  fastify,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { limits } from '../../contract/limits.ts';
import { version } from '../../contract/version.ts';
import {
  asAppError,
  clientErrorHandler,
  installErrorHandler,
  type KeepRefusal,
  sendError,
} from './error-handler.ts';
import { newId } from './ids.ts';
import { parseJsonBody } from './json-body.ts';
import { compileValidator, parseQueryString } from './validation.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as they came: what an Idempotency-Key is compared by. */
    rawBody: Buffer | null;
  }
}

export function createHttp(logger: FastifyBaseLogger, keepRefusal: KeepRefusal): App {
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // No address is longer than the parser's 16 KiB: a long id is an id that does not exist, not an error of its own.
    routerOptions: { maxParamLength: 16_384, querystringParser: parseQueryString },
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => {
      // No hook runs for an address that cannot be read.
      reply.header('x-request-id', request.id).header('x-api-version', version);
      sendError(asAppError(error, request), request, reply as FastifyReply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorateRequest('rawBody', null);
  app.decorateRequest('keyIsSettled', false);
  app.setValidatorCompiler(compileValidator);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer;
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-api-version', version);
    done();
  });
  installErrorHandler(app as unknown as FastifyInstance, keepRefusal);
  return app;
}
