/** The Fastify instance with everything common to all requests: ids, version, body reading, errors. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { limits } from '../../../contract/limits.ts';
import { version } from '../../../contract/version.ts';
import { newId } from '../ids.ts';
import { type BodyReadings, installBodyLimits } from './body-limits.ts';
import { type AddressRange, clientAddress } from './client-address.ts';
import {
  asAppError,
  clientErrorHandler,
  installErrorHandler,
  type StoreRejection,
  sendError,
  slowUploadSockets,
} from './error-handler.ts';
import { parseJsonBody } from './json-body.ts';
import { installLoadShedding, type LoadLimits } from './load-shedding.ts';
import { installRequestSpans } from './request-spans.ts';
import { answerHeaders } from './security-headers.ts';
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
    /** The received bytes of the body: an Idempotency-Key compares them. */
    rawBody: Buffer | null;
    /** The client's, seen through the proxies of TRUST_PROXY; `request.ip` is the connection's. */
    readonly clientAddress: string;
    /** Fastify builds `routeOptions` anew at each access. */
    routeConfig: FastifyContextConfig & { url?: string };
  }
}

/**
 * Lets this request take longer to arrive than requestTimeout. The caller watches the client's pace, and calls the
 * returned function at the end.
 */
export function allowLongRequest(request: FastifyRequest): () => void {
  const { socket } = request.raw;
  request.stopCounting();
  slowUploadSockets.add(socket);
  return () => void slowUploadSockets.delete(socket);
}

/** Sends already serialised JSON byte for byte; the caller is responsible for its shape. */
export function sendJson<Body>(reply: FastifyReply, json: string): Body {
  reply.type('application/json; charset=utf-8').serializer(asItIs);
  return json as Body;
}

const asItIs = (payload: unknown) => payload as string;

/**
 * For handlers that return exactly the response: picking the declared properties with the schema's serialiser takes
 * five times as long.
 */
export function skipResponseSchema(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
}

/** Long enough for a request in flight; a stop takes at least as long while clients are connected. */
const drainMs = 300;

export interface HttpOptions {
  trustProxy?: readonly AddressRange[];
  /** Sent with every response, errors included. */
  headers?: Record<string, string>;
  loadLimits?: LoadLimits;
  /** Bodies that are arriving; those of the whole process by default. */
  bodyReadings?: BodyReadings;
}

export function createHttp(
  logger: FastifyBaseLogger,
  storeRejection: StoreRejection,
  { trustProxy = [], headers = {}, loadLimits, bodyReadings }: HttpOptions = {},
): App {
  const commonHeaders = { 'x-api-version': version, ...answerHeaders, ...headers };
  const app = fastify({
    loggerInstance: withoutChildren(logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    // Routes that know their caller before they read the body allow more.
    bodyLimit: limits.publicBodyBytes,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // No address is longer than the parser's 16 KiB: a long id does not exist, and needs no error of its own.
    routerOptions: { maxParamLength: 16_384, querystringParser: parseQueryString },
    clientErrorHandler: (error, socket) => clientErrorHandler(error, socket, headers),
    frameworkErrors: (error, request, reply) => {
      // No hook runs for an unreadable address.
      reply.header('x-request-id', request.id).headers(commonHeaders);
      sendError(asAppError(error, request), request, reply as FastifyReply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  installRequestSpans(app as unknown as FastifyInstance);
  app.decorateRequest('rawBody', null);
  app.decorateRequest('routeConfig', null as never);
  /** Without proxies it is the same for all requests of a connection. */
  const addresses = new WeakMap<Socket, string>();
  // Not Fastify's trustProxy: that would also trust X-Forwarded-Host from everyone.
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      const { socket } = this.raw;
      const known = addresses.get(socket);
      if (known !== undefined) return known;
      const address = clientAddress(socket.remoteAddress, this.headers['x-forwarded-for'], trustProxy);
      if (trustProxy.length === 0) addresses.set(socket, address);
      return address;
    },
  });
  // Node caches a peer's address once it was read, and has none for a closed socket: a client that disconnects early
  // would have no address in the audit log.
  app.server.on('connection', (socket) => void socket.remoteAddress);
  app.decorateRequest('idempotencyHandled', false);
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
    request.routeConfig = request.routeOptions.config;
    reply.header('x-request-id', request.id).headers(commonHeaders);
    done();
  });
  installLoadShedding(app as unknown as FastifyInstance, loadLimits);
  installBodyLimits(app as unknown as FastifyInstance, bodyReadings);
  let isStopping = false;
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  // Also for requests started before the stop: the client's next request on this connection could not be answered.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  installErrorHandler(app as unknown as FastifyInstance, storeRejection);
  closeIdleConnectionsLate(app.server);
  return app;
}

/**
 * Fastify creates a child logger for every request: with pino's redaction 4 % of a GET's processor time for something
 * only errors use. They log the request's id themselves.
 */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const childless: FastifyBaseLogger = Object.create(logger, { child: { value: () => childless } });
  return childless;
}

/**
 * Node cuts every idle connection the moment a server closes, and with it requests that are just arriving (9 of 32
 * busy clients in a test). Here the server first only stops accepting; requests on open connections are still
 * answered, with `Connection: close`. Repeated, because a response started before has kept its connection open, and
 * the server would wait for its keep-alive timeout.
 */
function closeIdleConnectionsLate(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (!server.listening) return closeIdle();
    const timer = setInterval(closeIdle, drainMs);
    server.once('close', () => clearInterval(timer));
  };
}
