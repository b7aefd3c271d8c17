/** The only place that knows how an error looks on the wire. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { version } from '../../../contract/version.ts';
import { isUnstorableText } from '../db/db.ts';
import { newId } from '../ids.ts';
import { AppError, badRequest, bodyTooLarge, notFound } from './errors.ts';

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

export function phraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}

export function answerOf(error: AppError, requestId: string): ErrorAnswer {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.code === 'CONTACT_BLOCKED') {
    const { code, message } = error;
    return {
      status: error.status,
      headers,
      body: { error: { code, message }, requestId, timestamp: new Date().toISOString() },
    };
  }
  return {
    status: error.status,
    headers,
    body: {
      error: phraseOf(error.status),
      message: error.message,
      code: error.code,
      ...error.details,
      requestId,
    },
  };
}

/**
 * Responses to the owner of an Idempotency-Key are stored, rejections too. Returns the response to send, which may be
 * an earlier one, or null if this rejection is not stored.
 */
export type StoreRejection = (
  request: FastifyRequest,
  refusal: AppError,
) => Promise<{ status: number; body: string; replayed: boolean } | null>;

export function installErrorHandler(app: FastifyInstance, storeRejection: StoreRejection): void {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const refusal = asAppError(error, request);
    if (request.headers['idempotency-key'] === undefined) return sendError(refusal, request, reply);
    return sendKept(refusal, request, reply, storeRejection);
  });
  app.setNotFoundHandler((request, reply) => sendError(notFound('route'), request, reply));
}

async function sendKept(
  refusal: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  storeRejection: StoreRejection,
): Promise<FastifyReply> {
  try {
    const kept = await storeRejection(request, refusal);
    if (!kept) return sendError(refusal, request, reply);
    if (kept.replayed) reply.header('idempotency-replayed', 'true');
    return sendJson(reply.code(kept.status), kept.body);
  } catch (error) {
    return sendError(asAppError(error as FastifyError | AppError, request), request, reply);
  }
}

export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = answerOf(error, request.id);
  return sendJson(reply.code(status).headers(headers), JSON.stringify(body));
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => payload as string)
    .send(text);
}

/** Fastify's own errors keep their meaning; unexpected errors are logged in full and answered with a plain 500. */
export function asAppError(error: FastifyError | AppError, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  switch (error.statusCode) {
    case 400:
      return badRequest(
        error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'
          ? 'Content-Length does not match the body'
          : error.message,
      );
    case 413:
      return bodyTooLarge();
    case 415:
      return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json');
    case 414:
    case 431:
      return badRequest('the address or the headers are too long');
  }
  // Bodies and queries are checked where they are read; a text from elsewhere in the request gets this far.
  if (isUnstorableText(error)) return badRequest('the request has a character that cannot be stored');
  request.log.error(
    { err: error, requestId: request.id, address: request.clientAddress },
    'unexpected error',
  );
  return new AppError(500, 'INTERNAL', 'something went wrong on our side');
}

/** Connections whose request may arrive slowly; Node reports each late request once and leaves the decision to us. */
export const slowUploadSockets = new WeakSet<Socket>();

/** Requests that the HTTP parser rejects never reach a route; they get the common shape too. */
export function clientErrorHandler(
  error: NodeJS.ErrnoException,
  socket: Socket,
  extraHeaders: Record<string, string>,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (late && slowUploadSockets.has(socket)) return;
  const [status, message]: [number, string] = tooLong
    ? [431, 'the headers are too long']
    : late
      ? [408, 'the request took too long to arrive']
      : [400, 'this is not a valid HTTP request'];
  const requestId = newId();
  const body = JSON.stringify({ error: phraseOf(status), message, code: 'VALIDATION_FAILED', requestId });
  const head = [
    `HTTP/1.1 ${status} ${phraseOf(status)}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `X-Api-Version: ${version}`,
    ...Object.entries(extraHeaders).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
