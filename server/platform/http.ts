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
import { asAppError, clientErrorHandler, installErrorHandler, sendError } from './error-handler.ts';
import { newId } from './ids.ts';
import { parseJsonBody } from './json-body.ts';
import { compileSerializer } from './serialization.ts';
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

export function createHttp(logger: FastifyBaseLogger): App {
  const app = fastify({
    loggerInstance: withoutChildren(logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 2_048, querystringParser: parseQueryString },
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => {
      sendError(asAppError(error, request), request, reply as FastifyReply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorateRequest('rawBody', null);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
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
  installErrorHandler(app as unknown as FastifyInstance);
  return app;
}

/**
 * Fastify makes a child logger for every request, which with pino's redaction is 4 % of a GET's processor time for
 * something that only errors use: they name the request's id themselves.
 */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const childless: FastifyBaseLogger = Object.create(logger, { child: { value: () => childless } });
  return childless;
}
