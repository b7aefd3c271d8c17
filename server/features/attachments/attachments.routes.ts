import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import {
  AttachmentUsage,
  DownloadAnswer,
  UploadAnswer,
  UploadRequest,
} from '../../../contract/messaging/attachments.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { AppError, badRequest, unavailable } from '../../platform/http/errors.ts';
import { type App, allowLongRequest } from '../../platform/http/http.ts';
import { BodyReader, ClientGone } from '../../platform/http/streaming.ts';
import { requireFreeDisk } from '../../platform/limits/storage-quota.ts';
import { describeDownload, prepareDownload } from './attachments.download.ts';
import { selectUsage } from './attachments.sql.ts';
import { checkUploadType } from './attachments.types.ts';
import { checkUploadHeaders, receiveUpload, requestUpload } from './attachments.upload.ts';
import { createFileUrls } from './attachments.urls.ts';
import { fileReaderOf } from './attachments.use.ts';

const tags = ['Attachments'];
const read = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
/** The address is the permission: it is signed for one file, one use and a time. */
const signed = { access: { public: true } } as const;
const ofFile = Type.Object({ accountId: Type.String(), fileKey: Type.String() });
const standstillMs = 60_000;

export function attachmentsRoutes(app: App, context: Context): void {
  const { db, write, config, secrets, visibleTo } = context;
  const deps = { ...context, urls: createFileUrls(secrets) };
  /** Without PUBLIC_URL the address that the caller used is the best available. */
  const baseUrlFor = (request: FastifyRequest) =>
    config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`;

  app.post(
    '/messages/upload',
    {
      config: {
        access: {
          scope: 'messages:write',
          permission: 'conversations.reply',
          orPermission: 'notes.write',
        },
      },
      schema: {
        tags,
        summary: 'Get an address to upload a file to',
        description:
          'Then PUT the raw file there, with its Content-Type and without a token, within 15 minutes; then name its fileKey in a message. Files that no message names are removed after 24 hours. The size counts towards `storageBytes` of the account from here on: 413 `STORAGE_QUOTA` beyond it, 507 `DISK_FULL` while the disk has too little free space.',
        body: UploadRequest,
        response: { 200: UploadAnswer },
      },
    },
    async (request, reply) => {
      await requireFreeDisk(config);
      return write(request, reply, async (tx) => {
        const { actor, body } = request;
        return {
          status: 200,
          body: await requestUpload(tx, deps, actor, body, baseUrlFor(request)),
        };
      });
    },
  );

  app.get(
    '/attachments/usage',
    {
      config: read,
      schema: { tags, summary: 'Storage used by the account', response: { 200: AttachmentUsage } },
    },
    (request) => selectUsage(db, request.actor.accountId),
  );

  app.get(
    '/attachments/:fileKey',
    {
      config: read,
      schema: {
        tags,
        summary: 'An address to download a file from',
        description:
          'Answers 404 unless the caller can read a message that names the file. Before the first message names it, only the user or token that uploaded it gets an address.',
        params: Type.Object({ fileKey: Type.String() }),
        response: { 200: DownloadAnswer },
      },
    },
    async (request) => {
      const { actor, params } = request;
      const reader = fileReaderOf(actor, await visibleTo(actor));
      return describeDownload(deps, actor.accountId, params.fileKey, baseUrlFor(request), reader);
    },
  );

  uploadRoute(app, deps);
  downloadRoute(app, deps);
}

type Deps = Context & { urls: ReturnType<typeof createFileUrls> };

function uploadRoute(app: App, deps: Deps): void {
  const reading = new Set<BodyReader>();
  app.addHook('preClose', async () => {
    for (const body of reading) body.interrupt(unavailable('the service is stopping'));
  });

  // A separate scope: only here is the body passed on as a stream, of any type and size.
  void app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.put(
      '/files/:accountId/:fileKey',
      {
        config: signed,
        schema: { hide: true, params: ofFile, response: { 200: Done } },
        onRequest: checkUploadType,
      },
      async (request) => {
        const { method, params, headers } = request;
        const query = request.query as Record<string, unknown>;
        const body = new BodyReader(request.body instanceof Readable ? request.body : Readable.from([]), {
          standstillMs,
        });
        const release = allowLongRequest(request);
        reading.add(body);
        try {
          const use = deps.urls.verify(method, params, query, deps.clock.now());
          checkUploadHeaders(use, headers);
          await requireFreeDisk(deps.config);
          await receiveUpload(deps, use, body.chunks());
          return { message: 'uploaded' };
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

function downloadRoute(app: App, deps: Deps): void {
  app.route({
    // Both by name: the HEAD that comes with a GET would report a length of 0.
    method: ['GET', 'HEAD'],
    url: '/files/:accountId/:fileKey',
    config: signed,
    schema: { hide: true, params: ofFile },
    handler: async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const use = deps.urls.verify(request.method, request.params, query, deps.clock.now());
      const { status, headers, open } = await prepareDownload(deps, use, request.headers);
      if (status === 416) {
        reply.headers(headers);
        throw new AppError(416, 'VALIDATION_FAILED', 'the range is outside the file');
      }
      reply.code(status).headers(headers);
      if (request.method === 'HEAD' || status === 304) return reply.send();
      // A client that stops reading must not keep the file open forever.
      reply.raw.setTimeout(standstillMs, () => reply.raw.destroy());
      return reply.send(await open());
    },
  });
}
