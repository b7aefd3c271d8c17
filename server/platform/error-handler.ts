/** The only place that knows how an error looks on the wire. */
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, badRequest, notFound } from './errors.ts';

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
    body: { error: phraseOf(error.status), message: error.message, code: error.code, requestId },
  };
}

export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) =>
    sendError(asAppError(error, request), request, reply),
  );
  app.setNotFoundHandler((request, reply) => sendError(notFound('route'), request, reply));
}

export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = answerOf(error, request.id);
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

/** Fastify's own errors keep their meaning; what nobody foresaw is logged whole and told as nothing but a 500. */
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
      return new AppError(413, 'PAYLOAD_TOO_LARGE', 'the body is larger than allowed here');
    case 415:
      return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json');
    case 414:
    case 431:
      return badRequest('the address or the headers are too long');
  }
  request.log.error({ err: error, requestId: request.id }, 'unexpected error');
  return new AppError(500, 'INTERNAL', 'something went wrong on our side');
}

/** Requests that the HTTP parser itself refuses never reach a route; they get the common shape all the same. */
export function clientErrorHandler(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const [status, message] = tooLong
    ? [431, 'the headers are too long']
    : late
      ? [408, 'the request took too long to arrive']
      : [400, 'this is not a valid HTTP request'];
  const body = JSON.stringify({
    error: STATUS_CODES[status],
    message,
    code: 'VALIDATION_FAILED',
    requestId: '',
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
