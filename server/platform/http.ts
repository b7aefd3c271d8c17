/** The Fastify instance with everything that holds for every request: ids, version, body reading, errors. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
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
  sendError,
  unhurriedSockets,
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

/**
 * Lets this request take longer to arrive than requestTimeout. Whoever asks for it watches the client's pace, and
 * calls what is returned at the end.
 */
export function allowLongRequest(request: FastifyRequest): () => void {
  const { socket } = request.raw;
  unhurriedSockets.add(socket);
  return () => void unhurriedSockets.delete(socket);
}

export function createHttp(logger: FastifyBaseLogger): App {
  const app = fastify({
    loggerInstance: logger,
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
