/** POST /crm/import: records from a CSV file, streamed both ways. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ImportBody, ImportLine, ImportQuery } from '../../../../contract/shapes/csv.ts';
import type { Context } from '../../../context.ts';
import { createSemaphore } from '../../../platform/concurrency/semaphore.ts';
import { AppError, badRequest, unavailable } from '../../../platform/http/errors.ts';
import { type App, allowLongRequest } from '../../../platform/http/http.ts';
import { AnswerStream, BodyReader, ClientGone, createBacklog } from '../../../platform/http/streaming.ts';
import { auditImport } from '../../records/records.ts';
import { batchesAtOnce } from '../rows/imports.write.ts';
import { beginImport, runImport } from './imports.stream.ts';

/** Enough for the answers to some 800,000 rows. */
const backlogBytes = 64 * 1024 * 1024;

export function streamedImportRoutes(app: App, context: Context): void {
  const { authenticator, logger, db, clock } = context;
  const tags = ['Records'];
  const deps = { ...context, turns: createSemaphore(batchesAtOnce) };
  const backlog = createBacklog(backlogBytes);
  const reading = new Set<BodyReader>();
  const confirmed = (request: FastifyRequest) => () =>
    authenticator.confirm(request.headers.authorization, request.actor);

  app.addHook('preClose', async () => {
    for (const body of reading) body.interrupt(unavailable('the service is stopping'));
  });

  // A separate scope: only here is the body passed on as a stream, of any type and size.
  void app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post(
      '/crm/import',
      {
        config: { access: { scope: 'crm:write', permission: 'records.import' } },
        schema: {
          tags,
          summary: 'Create records from a CSV file',
          description:
            'Streamed both ways: the answer has a line of JSON for each row as soon as it is written, then a line with a summary. An invalid row fails alone. Counts as one request of the limits.',
          querystring: ImportQuery,
          body: { content: { 'text/csv': { schema: ImportBody } } },
          response: {
            200: {
              description: 'A line per row, then the summary',
              content: { 'application/x-ndjson': { schema: ImportLine } },
            },
          },
        },
      },
      async (request, reply) => {
        const body = new BodyReader(request.body instanceof Readable ? request.body : Readable.from([]));
        try {
          checkImport(request);
          // From here on it waits for its client.
          request.stopCounting();
          const job = await beginImport(deps, body, confirmed(request), request.query.kanbanId);
          await db.transaction((tx) => auditImport(tx, request.actor, clock.now(), job.kanbanId));
          const answer = new AnswerStream(backlog);
          const release = allowLongRequest(request);
          reading.add(body);
          runImport(deps, job, answer)
            .catch((error) => {
              if (!(error instanceof ClientGone)) logger.error({ err: error }, 'an import failed');
              answer.destroy();
            })
            .finally(() => {
              reading.delete(body);
              release();
              body.drain();
            });
          return reply.code(200).type('application/x-ndjson; charset=utf-8').send(answer);
        } catch (error) {
          body.drain();
          throw error;
        }
      },
    );
  });
}

function checkImport(request: FastifyRequest): void {
  const { headers } = request;
  for (const [name, given] of [
    ['Idempotency-Key', headers['idempotency-key']],
    ['X-Dry-Run', headers['x-dry-run']],
  ]) {
    if (given !== undefined)
      throw badRequest(`${name} is not supported on imports: the response is streamed`);
  }
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'text/csv') throw unsupported('the body must be text/csv');
  const charset = parameters.find((parameter) => /^\s*charset\s*=/.test(parameter))?.split('=')[1];
  if (charset && !/^\s*"?utf-?8"?\s*$/.test(charset)) throw unsupported('the body must be in UTF-8');
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw unsupported('the body must not be compressed');
}

const unsupported = (message: string) => new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', message);
