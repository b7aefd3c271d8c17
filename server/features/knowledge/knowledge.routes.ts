import {
  KnowledgeDocument,
  KnowledgeDocumentCreate,
  KnowledgeDocumentReplace,
  KnowledgeDocumentsQuery,
  KnowledgeDocumentUpdate,
  KnowledgeDocumentWithText,
  KnowledgeFileCreate,
  KnowledgePassage,
  KnowledgePassagesQuery,
  KnowledgeSearchAnswer,
  KnowledgeSearchBody,
  KnowledgeSource,
  KnowledgeSourceCreate,
  KnowledgeSourceUpdate,
  KnowledgeUpload,
  KnowledgeVersion,
  KnowledgeVersionQuery,
  KnowledgeVersionsQuery,
} from '../../../contract/knowledge.ts';
import { limits } from '../../../contract/limits.ts';
import { DownloadAnswer, UploadAnswer } from '../../../contract/messaging/attachments.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { requireFreeDisk } from '../../platform/limits/storage-quota.ts';
import { createFileUrls, describeDownload } from '../attachments/attachments.ts';
import { collectionsRoutes } from './collections/knowledge.collections.routes.ts';
import { knowledgeSettingsRoutes } from './embeddings/knowledge.settings.routes.ts';
import { gapsRoutes } from './gaps/knowledge.gaps.routes.ts';
import {
  addFile,
  changeDocument,
  changeSource,
  createDocument,
  createSource,
  listDocuments,
  listPassages,
  listSources,
  listVersions,
  readDocument,
  removeDocument,
  removeSource,
  replaceDocument,
  requestFileUpload,
  requireImage,
  requireSource,
  settleFile,
  settleImages,
} from './knowledge.ts';
import { questionsRoutes } from './questions/knowledge.questions.routes.ts';
import { websitesRoutes } from './websites/knowledge.websites.routes.ts';
import { checkAddresses } from './websites/website-settings.ts';

const tags = ['Knowledge'];
const view = { access: { scope: 'knowledge:read', permission: 'knowledge.view' } } as const;
const manage = { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } } as const;
const params = Type.Object({ id: Type.String() });
/** Six bytes for each character that JSON may escape. */
const articleBytes = 6 * limits.articleLength + limits.publicBodyBytes;

export function knowledgeRoutes(app: App, context: Context): void {
  sourcesRoutes(app, context);
  websitesRoutes(app, context);
  knowledgeSettingsRoutes(app, context);
  documentsRoutes(app, context);
  filesRoutes(app, context);
  imagesRoute(app, context);
  collectionsRoutes(app, context);
  questionsRoutes(app, context);
  gapsRoutes(app, context);

  app.post(
    '/knowledge/search',
    {
      config: view,
      schema: {
        tags,
        summary: 'Find passages of published documents',
        description:
          'The best ones first. A passage need not have all words. Words are compared by their stems, without accents, and with typos if no document has them.',
        body: KnowledgeSearchBody,
        response: { 200: KnowledgeSearchAnswer },
      },
    },
    ({ actor, body }) => context.knowledgeSearch.search(actor.accountId, body),
  );
}

function sourcesRoutes(app: App, { db, clock, write, pageTokens, secrets, config }: Context): void {
  app.get(
    '/knowledge/sources',
    {
      config: view,
      schema: {
        tags,
        summary: 'Sources of knowledge, oldest first',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(KnowledgeSource) },
      },
    },
    ({ actor, query }) => listSources(db, pageTokens, actor.accountId, query),
  );

  app.get(
    '/knowledge/sources/:id',
    { config: view, schema: { tags, summary: 'One source', params, response: { 200: KnowledgeSource } } },
    (request) => requireSource(db, request.actor.accountId, request.params.id),
  );

  app.post(
    '/knowledge/sources',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a source',
        description: `An account can have ${limits.knowledgeSources} sources (409).`,
        body: KnowledgeSourceCreate,
        response: { 201: KnowledgeSource },
      },
    },
    async (request, reply) => {
      await checkAddresses(request.body.settings, config.outboundAllow);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createSource(tx, secrets, request.actor, clock.now(), request.body),
      }));
    },
  );

  app.patch(
    '/knowledge/sources/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change a source',
        description:
          'Settings that are left out stay. If a website would be read otherwise, a run that is running or waits for a review is cancelled.',
        params,
        body: KnowledgeSourceUpdate,
        response: { 200: KnowledgeSource },
      },
    },
    async (request, reply) => {
      await checkAddresses(request.body.settings, config.outboundAllow);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeSource(tx, secrets, request.actor, clock.now(), request.params.id, request.body),
      }));
    },
  );

  app.delete(
    '/knowledge/sources/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a source with its documents',
        description: 'The last source of articles stays (409).',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeSource(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'knowledge source deleted' } };
      }),
  );
}

function filesRoutes(app: App, context: Context): void {
  const { clock, write, config, secrets } = context;
  const deps = { ...context, urls: createFileUrls(secrets) };

  app.post(
    '/knowledge/sources/:id/upload',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Get an address to upload a file to',
        description:
          'Then PUT the raw file there, with its Content-Type and without a token, within 15 minutes; then name its fileKey in `POST /knowledge/sources/{id}/files`. Files that no document has are removed after 24 hours. The size counts towards `storageBytes` of the account from here on: 413 `STORAGE_QUOTA` beyond it, 507 `DISK_FULL` while the disk has too little free space.',
        params,
        body: KnowledgeUpload,
        response: { 200: UploadAnswer },
      },
    },
    async (request, reply) => {
      await requireFreeDisk(config);
      const { actor, body } = request;
      const baseUrl = config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`;
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await requestFileUpload(tx, deps, actor, request.params.id, body, baseUrl),
      }));
    },
  );

  app.post(
    '/knowledge/sources/:id/files',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Make a document of an uploaded file',
        description:
          'The document is a `draft` without text until the file has been read. Then it is `published`, or `failed` with the reason in `problem`. The file goes with its document.',
        params,
        body: KnowledgeFileCreate,
        response: { 202: KnowledgeDocument },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      await settleFile(context, actor.accountId, body.fileKey);
      return write(request, reply, async (tx) => ({
        status: 202,
        body: await addFile(tx, actor, clock.now(), request.params.id, body),
      }));
    },
  );
}

function imagesRoute(app: App, context: Context): void {
  const { db, config, secrets } = context;
  const deps = { ...context, urls: createFileUrls(secrets) };
  app.get(
    '/knowledge/images/:fileKey',
    {
      config: view,
      schema: {
        tags,
        summary: 'An address to download an image of an article from',
        params: Type.Object({ fileKey: Type.String() }),
        response: { 200: DownloadAnswer },
      },
    },
    async (request) => {
      const { actor, params: place } = request;
      await requireImage(db, actor.accountId, place.fileKey);
      const baseUrl = config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`;
      return describeDownload(deps, actor.accountId, place.fileKey, baseUrl, null);
    },
  );
}

function documentsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens } = context;
  app.get(
    '/knowledge/documents',
    {
      config: view,
      schema: {
        tags,
        summary: 'Documents, newest first',
        querystring: KnowledgeDocumentsQuery,
        response: { 200: pageOf(KnowledgeDocument) },
      },
    },
    ({ actor, query }) => listDocuments(db, pageTokens, actor.accountId, query),
  );

  app.get(
    '/knowledge/documents/:id',
    {
      config: view,
      schema: {
        tags,
        summary: 'One document with its text',
        description:
          'The text, the title and `characters` are those of the published version, or of `version`.',
        params,
        querystring: KnowledgeVersionQuery,
        response: { 200: KnowledgeDocumentWithText },
      },
    },
    ({ actor, params: { id }, query }) => readDocument(db, actor.accountId, id, query.version),
  );

  app.get(
    '/knowledge/documents/:id/versions',
    {
      config: view,
      schema: {
        tags,
        summary: 'The versions of a document, newest first',
        description: `The last ${limits.knowledgeVersionsKept} are kept, and the published one.`,
        params,
        querystring: KnowledgeVersionsQuery,
        response: { 200: pageOf(KnowledgeVersion) },
      },
    },
    ({ actor, params: { id }, query }) => listVersions(db, pageTokens, actor.accountId, id, query),
  );

  app.get(
    '/knowledge/documents/:id/passages',
    {
      config: view,
      schema: {
        tags,
        summary: 'The passages of a document, as search finds them',
        params,
        querystring: KnowledgePassagesQuery,
        response: { 200: pageOf(KnowledgePassage) },
      },
    },
    ({ actor, params: { id }, query }) => listPassages(db, pageTokens, actor.accountId, id, query),
  );

  app.post(
    '/knowledge/documents',
    {
      config: manage,
      bodyLimit: articleBytes,
      schema: {
        tags,
        summary: 'Write an article',
        description:
          'A draft, unless `state` is `published`. More documents or more text than the account may have is a 413 `KNOWLEDGE_QUOTA`.',
        body: KnowledgeDocumentCreate,
        response: { 201: KnowledgeDocument },
      },
    },
    async (request, reply) => {
      await settleImages(context, request.actor.accountId, request.body.text);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createDocument(tx, request.actor, clock.now(), request.body),
      }));
    },
  );

  app.put(
    '/knowledge/documents/:id',
    {
      config: manage,
      bodyLimit: articleBytes,
      schema: {
        tags,
        summary: 'Write the next version of an article',
        description: 'Without `state: "published"` the published version stays in use.',
        params,
        body: KnowledgeDocumentReplace,
        response: { 200: KnowledgeDocument },
      },
    },
    async (request, reply) => {
      await settleImages(context, request.actor.accountId, request.body.text);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await replaceDocument(tx, request.actor, clock.now(), request.params.id, request.body),
      }));
    },
  );

  app.patch(
    '/knowledge/documents/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change the audience, the language, the place or the state of a document',
        description: '`published` puts the newest version into use, `draft` takes the document out of use.',
        params,
        body: KnowledgeDocumentUpdate,
        response: { 200: KnowledgeDocument },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeDocument(tx, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/knowledge/documents/:id',
    {
      config: manage,
      schema: { tags, summary: 'Delete a document with its versions', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeDocument(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'knowledge document deleted' } };
      }),
  );
}
