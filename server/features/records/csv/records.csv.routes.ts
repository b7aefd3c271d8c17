/** Import and export of records as CSV, both streamed. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import {
  ExportFile,
  ExportQuery,
  ImportBody,
  ImportLine,
  ImportQuery,
} from '../../../../contract/shapes/csv.ts';
import type { Context } from '../../../context.ts';
import { createSemaphore } from '../../../platform/concurrency/semaphore.ts';
import { AppError, badRequest, unavailable } from '../../../platform/http/errors.ts';
import { type App, allowLongRequest } from '../../../platform/http/http.ts';
import { AnswerStream, BodyReader, ClientGone, createBacklog } from '../../../platform/http/streaming.ts';
import { auditExport, auditImport } from '../records.audit.ts';
import { exportRecords, findExportedKanban, findExportFilter } from './records.export.ts';
import { beginImport, runImport } from './records.import.ts';

/** Of a pool of 16 connections; and each may hold the locks of 250 titles. */
const batchesAtOnce = 2;
/** Enough for the responses to some 800,000 rows. */
const backlogBytes = 64 * 1024 * 1024;

export function csvRoutes(app: App, context: Context): void {
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
        config: { access: { scope: 'crm:write' } },
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

  app.get(
    '/crm/export',
    {
      config: { access: { scope: 'crm:read' } },
      schema: {
        tags,
        summary: 'Records as a CSV file, newest first',
        description:
          'Times are ISO 8601 in UTC. Cells that a spreadsheet would run as a formula are prefixed with an apostrophe, which an import removes.',
        querystring: ExportQuery,
        response: {
          200: {
            description: 'UTF-8 with a byte order mark, comma-separated, CRLF',
            content: { 'text/csv': { schema: ExportFile } },
          },
        },
      },
    },
    async (request, reply) => {
      const kanban = await findExportedKanban(deps, request.actor, request.query.kanbanId);
      const filter = await findExportFilter(deps, request.actor, kanban, request.query);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="records-${kanban?.slug ?? 'none'}-${day}.csv"`);
      // HEAD needs only these lines; Fastify would read the whole export and discard it.
      if (request.method === 'HEAD') return reply.send('');
      if (kanban) {
        await db.transaction((tx) => auditExport(tx, request.actor, clock.now(), kanban.id, request.query));
      }
      return reply.send(Readable.from(exportRecords(deps, confirmed(request), kanban, filter)));
    },
  );
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
