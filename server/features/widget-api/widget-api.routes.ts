/**
 * The API of the widget. Its frame has no origin (it is sandboxed), so responses may be read by any page; the
 * visitor's token protects a conversation, and no cookie is ever read.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../../contract/limits.ts';
import { Type } from '../../../contract/shapes/type.ts';
import {
  VisitorArticles,
  VisitorArticlesSearch,
  VisitorHistoryQuery,
  VisitorReaction,
  VisitorReceipt,
  VisitorSend,
  VisitorSent,
  VisitorStart,
  VisitorStarted,
} from '../../../contract/widget/widget.ts';
import { addressToCount } from '../../platform/http/client-address.ts';
import { badRequest, forbidden, notFound } from '../../platform/http/errors.ts';
import { type App, allowLongRequest } from '../../platform/http/http.ts';
import { textProblem } from '../../platform/http/json-body.ts';
import { BodyReader, ClientGone } from '../../platform/http/streaming.ts';
import { checkUploadType, createFileUrls, describeDownload } from '../attachments/attachments.ts';
import { isOpen as isOpenAt } from '../business-hours/business-hours.ts';
import { suggestArticles } from '../help-center/help-center.ts';
import { ContactBlocked } from '../sessions/sessions.ts';
import { type ServiceDeps, serviceRoutes } from './service/widget-api.service.routes.ts';
import {
  pretendReceived,
  readHistory,
  receiveMessage,
  receiveReaction,
  receiveReceipt,
  requireDetails,
  requireOwnFiles,
  requireReadableFile,
} from './widget-api.chat.ts';
import type { VisitorFeed } from './widget-api.live.ts';
import { widgetMetrics } from './widget-api.metrics.ts';
import { allowsOrigin, findWidgetOfSite } from './widget-api.settings.ts';
import { takeVisitorUpload } from './widget-api.upload.ts';
import { startVisit } from './widget-api.visitor.ts';

/** This part has its own authentication; the account's tokens are not accepted. */
const open = { access: { public: true } } as const;
const hide = true;
const standstillMs = 30_000;

export interface WidgetDeps extends ServiceDeps {
  feed: VisitorFeed;
}

export const addressOf = (request: FastifyRequest) => addressToCount(request.clientAddress);

export function visitorRoutes(app: App, deps: WidgetDeps): void {
  void app.register(async (scope: App) => {
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.header('access-control-allow-origin', '*');
      done();
    });
    scope.options('/widget/*', { config: open, schema: { hide } }, (_request, reply: FastifyReply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'authorization, content-type, x-file-name',
          'access-control-max-age': '7200',
        })
        .send(),
    );
    startRoute(scope, deps);
    messageRoutes(scope, deps);
    fileRoutes(scope, deps);
    serviceRoutes(scope, deps);
    articlesRoute(scope, deps);
  });
}

function startRoute(app: App, deps: WidgetDeps): void {
  const { db, clock, secrets, config, guard, tokens } = deps;
  app.post(
    '/widget/sessions',
    { config: open, schema: { hide, body: VisitorStart, response: { 200: VisitorStarted } } },
    async (request) => {
      const { body, headers } = request;
      const widget = await findWidgetOfSite(db, body.channel);
      if (!widget) throw notFound('channel');
      const own = [new URL(config.publicUrl).origin];
      // The preview of an instance that does not know its address. Otherwise a Host of the visitor's choice says nothing.
      if (!config.hasPublicUrl) own.push(`${request.protocol}://${request.host}`);
      if (!allowsOrigin(widget, headers.origin, own)) {
        guard.refused('origin');
        throw forbidden('this site may not show the widget: add its origin to the widget settings');
      }
      await guard.count(widget.accountId, 'start', addressOf(request), null);
      const started = startVisit({ secrets, tokens, now: clock.now() }, widget, body);
      if (body.user !== undefined && !started.isKnown) guard.refused('identity');
      return started;
    },
  );
}

function messageRoutes(app: App, deps: WidgetDeps): void {
  const { messages } = widgetMetrics(deps.metrics);
  const { db, clock, intake, pageTokens, guard, feed, accountConfig } = deps;

  app.get(
    '/widget/messages',
    { config: open, schema: { hide, querystring: VisitorHistoryQuery } },
    async (request) => {
      const { visitor } = await guard.admit(request.headers.authorization, 'read', addressOf(request));
      const agents = await feed.agentsOf(visitor.accountId);
      return readHistory(db, pageTokens, agents, visitor, request.query.nextToken);
    },
  );

  app.post(
    '/widget/messages',
    {
      config: open,
      // Six bytes for each character that JSON may escape.
      bodyLimit: 6 * limits.messageLength + limits.publicBodyBytes,
      schema: { hide, body: VisitorSend, response: { 202: VisitorSent } },
    },
    async (request, reply) => {
      const { body } = request;
      const address = addressOf(request);
      const { visitor, widget } = await guard.admit(request.headers.authorization, 'send', address);
      const now = clock.now();
      await requireOwnFiles(db, visitor, body.attachments);
      const isOpen = widget.hours === null || isOpenAt(widget.hours, now);
      await requireDetails(db, widget, visitor, isOpen);
      reply.code(202);
      try {
        const { isRepeated, ...sent } = await receiveMessage(intake, widget, visitor, body, {
          isOpen,
          address,
        });
        messages.inc({ outcome: isRepeated ? 'repeated' : 'accepted' });
        return sent;
      } catch (error) {
        if (!(error instanceof ContactBlocked)) throw error;
        messages.inc({ outcome: 'dropped' });
        return pretendReceived(db, visitor, now);
      }
    },
  );

  app.post(
    '/widget/receipts',
    { config: open, schema: { hide, body: VisitorReceipt } },
    async (request, reply) => {
      const { visitor } = await guard.admit(request.headers.authorization, 'act', addressOf(request));
      const { directory } = await accountConfig.fresh(visitor.accountId);
      const context = { directory, now: clock.now() };
      await db.transaction((tx) => receiveReceipt(tx, visitor, request.body, context));
      return reply.code(204).send();
    },
  );

  app.post(
    '/widget/messages/:messageId/reaction',
    {
      config: open,
      schema: { hide, params: Type.Object({ messageId: Type.String() }), body: VisitorReaction },
    },
    async (request, reply) => {
      const { visitor } = await guard.admit(request.headers.authorization, 'act', addressOf(request));
      const { messageId } = request.params;
      await db.transaction((tx) => receiveReaction(tx, visitor, messageId, request.body.emoji, clock.now()));
      return reply.code(204).send();
    },
  );
}

function articlesRoute(app: App, deps: WidgetDeps): void {
  const { config, guard } = deps;
  // Not in the address, which proxies log: it is what a visitor is writing.
  app.post(
    '/widget/articles',
    {
      config: open,
      schema: { hide, body: VisitorArticlesSearch, response: { 200: VisitorArticles } },
    },
    async (request) => {
      const { visitor } = await guard.admit(request.headers.authorization, 'read', addressOf(request));
      const { q, language = '' } = request.body;
      const found = await suggestArticles(deps, visitor.accountId, { q, language });
      const base = config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`;
      return { articles: found.map(({ title, path, excerpt }) => ({ title, url: base + path, excerpt })) };
    },
  );
}

function fileRoutes(app: App, deps: WidgetDeps): void {
  const { db, config, secrets, guard } = deps;
  const urls = createFileUrls(secrets);

  app.get(
    '/widget/files/:fileKey',
    { config: open, schema: { hide, params: Type.Object({ fileKey: Type.String() }) } },
    async (request) => {
      const { visitor } = await guard.admit(request.headers.authorization, 'read', addressOf(request));
      const { fileKey } = request.params;
      await requireReadableFile(db, visitor, fileKey);
      const base = config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`;
      return describeDownload({ ...deps, urls }, visitor.accountId, fileKey, base, null);
    },
  );

  // A separate scope: only here is the body passed on as a stream.
  void app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    const options = { config: open, schema: { hide }, onRequest: checkUploadType };
    scope.post('/widget/uploads', options, async (request, reply) => {
      const { headers } = request;
      const { visitor } = await guard.admit(headers.authorization, 'upload', addressOf(request));
      const size = Number(headers['content-length']);
      if (!Number.isSafeInteger(size) || size <= 0) throw badRequest('Content-Length is required');
      const file = {
        fileName: readFileName(headers['x-file-name']),
        contentType: headers['content-type'] ?? '',
        size,
      };
      const body = new BodyReader(request.body instanceof Readable ? request.body : Readable.from([]), {
        standstillMs,
      });
      const release = allowLongRequest(request);
      try {
        const fileKey = await takeVisitorUpload(deps, visitor, file, body.chunks());
        return reply.code(201).send({ fileKey, ...file });
      } catch (error) {
        throw error instanceof ClientGone ? badRequest('the body is incomplete') : error;
      } finally {
        release();
        body.drain();
      }
    });
  });
}

function readFileName(header: string | string[] | undefined): string {
  let name = '';
  try {
    name = decodeURIComponent(String(header ?? '')).trim();
  } catch {
    throw badRequest('X-File-Name must be percent-encoded');
  }
  if (!name || [...name].length > limits.fileNameLength || textProblem(name)) {
    throw badRequest('X-File-Name is missing or too long');
  }
  return name;
}
