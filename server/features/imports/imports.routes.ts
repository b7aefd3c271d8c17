/** Stored imports: upload, mapping, preview, progress, results. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import {
  ImportJob,
  ImportPreview,
  ImportPreviewQuery,
  ImportResultsFile,
  ImportResultsQuery,
  ImportsQuery,
  ImportUpdate,
  ImportUploadBody,
  ImportUploadQuery,
} from '../../../contract/crm/imports.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { AppError, badRequest, unavailable } from '../../platform/http/errors.ts';
import { type App, allowLongRequest } from '../../platform/http/http.ts';
import { BodyReader, ClientGone } from '../../platform/http/streaming.ts';
import { requireFreeDisk } from '../../platform/limits/storage-quota.ts';
import { requireKanban } from '../kanbans/kanbans.ts';
import { previewImport } from './imports.preview.ts';
import { resultsStream } from './imports.results.ts';
import { toImport } from './imports.sql.ts';
import {
  cancelImport,
  listImports,
  opener,
  removeImport,
  requireImport,
  resumeImport,
  startImport,
} from './imports.ts';
import { changedDraft, fileTooLarge, saveDraft, takeImportFile } from './imports.upload.ts';

const tags = ['Imports'];
const read = { access: { scope: 'crm:read', permission: 'records.import' } } as const;
const change = { access: { scope: 'crm:write', permission: 'records.import' } } as const;
const params = Type.Object({ importId: Type.String() });

export function importsRoutes(app: App, context: Context): void {
  const { db, clock, write, definitions, blobs } = context;
  const find = async ({ actor }: FastifyRequest, importId: string) =>
    requireImport(db, actor, await context.visibleTo(actor), importId);

  uploadRoute(app, context);

  app.get(
    '/crm/imports',
    {
      config: read,
      schema: {
        tags,
        summary: 'List imports, newest first',
        querystring: ImportsQuery,
        response: { 200: pageOf(ImportJob) },
      },
    },
    async (request) =>
      listImports(context, request.actor, await context.visibleTo(request.actor), request.query),
  );

  app.get(
    '/crm/imports/:importId',
    {
      config: read,
      schema: { tags, summary: 'One import with its progress', params, response: { 200: ImportJob } },
    },
    async (request) => toImport(await find(request, request.params.importId), clock.now()),
  );

  app.patch(
    '/crm/imports/:importId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Map columns, set value formats and choose what happens to duplicates',
        params,
        body: ImportUpdate,
        response: { 200: ImportJob },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const found = await find(request, request.params.importId);
      const current = await definitions.fresh(actor.accountId);
      const draft = await changedDraft(context, actor, current, found, body);
      return write(request, reply, async (tx) => {
        return { status: 200, body: toImport(await saveDraft(tx, draft), clock.now()) };
      });
    },
  );

  app.get(
    '/crm/imports/:importId/preview',
    {
      config: read,
      schema: {
        tags,
        summary: 'Preview the first rows, with the errors of each cell',
        params,
        querystring: ImportPreviewQuery,
        response: { 200: ImportPreview },
      },
    },
    async (request) => {
      const { actor, query } = request;
      const found = await find(request, request.params.importId);
      const kanban = requireKanban(await definitions.fresh(actor.accountId), actor, found.kanbanId);
      const open = opener(blobs, found.accountId, found.id);
      return previewImport(db, actor, clock.now(), kanban, found, open, query.rows);
    },
  );

  for (const [verb, summary, rule] of [
    ['start', 'Start an import', startImport],
    ['resume', 'Resume a cancelled or failed import', resumeImport],
  ] as const) {
    app.post(
      `/crm/imports/:importId/${verb}`,
      { config: change, schema: { tags, summary, params, response: { 200: ImportJob } } },
      async (request, reply) => {
        const { actor } = request;
        const found = await find(request, request.params.importId);
        return write(request, reply, async (tx) => {
          const body = await definitions.withDefinitions(tx, actor.accountId, (current) =>
            rule(tx, actor, clock.now(), current, found),
          );
          return { status: 200, body };
        });
      },
    );
  }

  app.post(
    '/crm/imports/:importId/cancel',
    {
      config: change,
      schema: {
        tags,
        summary: 'Cancel an import; rows already written stay',
        params,
        response: { 200: ImportJob },
      },
    },
    async (request, reply) => {
      const found = await find(request, request.params.importId);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await cancelImport(tx, request.actor, clock.now(), found),
      }));
    },
  );

  app.delete(
    '/crm/imports/:importId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Remove an import with its file and its results; its records stay',
        params,
        response: { 200: Done },
      },
    },
    async (request) => {
      const { accountId, id } = await find(request, request.params.importId);
      await removeImport(context, accountId, id);
      return { message: 'import deleted' };
    },
  );

  app.get(
    '/crm/imports/:importId/results',
    {
      config: read,
      schema: {
        tags,
        summary: 'The result of each row, with the columns of the file',
        description:
          'only=failed returns a file that can be corrected and imported again: the columns of results are recognised and ignored.',
        params,
        querystring: ImportResultsQuery,
        response: {
          200: {
            description: 'UTF-8 with a byte order mark, the separator of the file, CRLF',
            content: { 'text/csv': { schema: ImportResultsFile } },
          },
        },
      },
    },
    async (request, reply) => {
      const found = await find(request, request.params.importId);
      const file = await opener(blobs, found.accountId, found.id)();
      const { only } = request.query;
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', dispositionOf(found.fileName, only ?? 'results'));
      if (request.method === 'HEAD') {
        file.destroy();
        return reply.send('');
      }
      return reply.send(resultsStream(db, found, file, only));
    },
  );
}

/** Twice, as RFC 6266 requires: in ASCII for simple clients, and in UTF-8. */
function dispositionOf(fileName: string, kind: string): string {
  const name = `${fileName.replace(/\.\w{1,5}$/, '')}-${kind}.csv`;
  const plain = name.replace(/[^\w .-]/g, '_').slice(-200);
  const escaped = encodeURIComponent(name.slice(-200).toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${escaped}`;
}

function uploadRoute(app: App, context: Context): void {
  const reading = new Set<BodyReader>();
  app.addHook('preClose', async () => {
    for (const body of reading) body.interrupt(unavailable('the service is stopping'));
  });

  // A separate scope: only here is the body passed on as a stream, of any type and size.
  void app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post(
      '/crm/imports',
      {
        config: change,
        schema: {
          tags,
          summary: 'Upload a file to import',
          description:
            'Nothing is written yet: map the columns with PATCH, look at the preview, then start it. Files and results are removed after a week; until then the file counts towards `storageBytes` of the account.',
          querystring: ImportUploadQuery,
          body: { content: { 'text/csv': { schema: ImportUploadBody } } },
          response: { 201: ImportJob },
        },
      },
      async (request, reply) => {
        const body = new BodyReader(request.body instanceof Readable ? request.body : Readable.from([]));
        const release = allowLongRequest(request);
        reading.add(body);
        try {
          checkUpload(request);
          await requireFreeDisk(context.config);
          const taken = await takeImportFile(context, request.actor, request.query, body.chunks());
          return reply.code(201).send(taken);
        } catch (error) {
          throw error instanceof ClientGone ? badRequest('the body is incomplete') : error;
        } finally {
          reading.delete(body);
          release();
          body.drain();
        }
      },
    );
  });
}

/** What browsers and tools send for a CSV file, with or without Excel installed. */
const acceptedTypes = [
  '',
  'application/csv',
  'application/x-csv',
  'application/vnd.ms-excel',
  'application/octet-stream',
];

function checkUpload({ headers }: FastifyRequest): void {
  for (const [name, given] of [
    ['Idempotency-Key', headers['idempotency-key']],
    ['X-Dry-Run', headers['x-dry-run']],
  ]) {
    if (given !== undefined) throw badRequest(`${name} is not supported on uploads`);
  }
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (!type.startsWith('text/') && !acceptedTypes.includes(type)) {
    throw unsupported('the body must be the bytes of the file, as text/csv');
  }
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw unsupported('the body must not be compressed');
  if (Number(headers['content-length'] ?? 0) > limits.importFileBytes) throw fileTooLarge();
}

const unsupported = (message: string) => new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', message);
