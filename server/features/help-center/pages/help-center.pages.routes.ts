/** The pages of help centers, which everyone may read. Each path begins with the slug of a site. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ArticleFeedback } from '../../../../contract/help-center.ts';
import { limits } from '../../../../contract/limits.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import { addressToCount } from '../../../platform/http/client-address.ts';
import { badRequest, notFound, rateLimited } from '../../../platform/http/errors.ts';
import { hasVersion } from '../../../platform/http/etag.ts';
import type { App } from '../../../platform/http/http.ts';
import { pageHeaders } from '../../../platform/http/security-headers.ts';
import { isId } from '../../../platform/ids.ts';
import { instanceAccountId } from '../../../platform/jobs/jobs.ts';
import { sha256 } from '../../../platform/secrets/secrets.ts';
import { createFileUrls, findStoredFile, kindOf, prepareDownload } from '../../attachments/attachments.ts';
import { listCollections } from '../../knowledge/knowledge.ts';
import {
  findChatChannel,
  isImageOfArticle,
  selectForSitemap,
  selectSitemapVersion,
  selectTranslations,
} from '../help-center.articles.sql.ts';
import {
  findPublicArticle,
  languageOf,
  languagesOfCollection,
  listPlace,
  pathTo,
  searchArticles,
} from '../help-center.articles.ts';
import { takeVote } from '../help-center.feedback.ts';
import { findSite, type Site } from '../help-center.sql.ts';
import { assets, type Page, renderPage } from './page.ts';
import { sitemap } from './sitemap.ts';
import {
  articlePath,
  articleView,
  collectionView,
  homePath,
  homeView,
  messageView,
  searchView,
} from './views.ts';

const options = { config: { access: { public: true } }, schema: { hide: true } } as const;
const maxPage = 2_000;
const resultsShown = 10;
/** A sitemap may have 50,000 addresses. */
const sitemapArticles = 49_000;
const fileDayMs = 86_400_000;
/** Current at each request: an article that is no longer published must not be shown from a cache. */
const revalidated = 'public, max-age=0, must-revalidate';

type Params = { slug: string; language: string; id: string };

export function helpCenterPageRoutes(app: App, context: Context): void {
  const { db, clock, config, rateLimits, secrets, knowledgeSearch } = context;
  const files = { ...context, urls: createFileUrls(secrets) };
  const originOf = (request: FastifyRequest) =>
    config.hasPublicUrl ? new URL(config.publicUrl).origin : `${request.protocol}://${request.host}`;

  /** Counts before it asks for anything else. Null: there is no such site, or too many requests came from the address. Then the answer is sent. */
  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<Site | null> => {
    const verdict = await rateLimits.admit(
      instanceAccountId,
      `help:${addressToCount(request.clientAddress)}`,
      [{ limit: limits.helpRequestsPerMinute, seconds: 60 }],
    );
    if (!verdict.admitted) {
      reply.header('retry-after', verdict.retryAfterSeconds);
      if (request.method === 'POST') throw rateLimited(429, verdict.retryAfterSeconds);
      await send(request, reply.code(429), null, messageView(preferred(request, null), 'tooMany'));
      return null;
    }
    const { slug } = request.params as Params;
    const site = isSlug(slug) ? await findSite(db, slug) : null;
    if (!site) await sendNotFound(request, reply, null);
    return site;
  };

  const send = async (request: FastifyRequest, reply: FastifyReply, site: Site | null, page: Page) => {
    const look = {
      site,
      origin: originOf(request),
      chatChannel: site && (await findChatChannel(db, site)),
    };
    const { text, policy } = renderPage(page, look);
    reply.type('text/html; charset=utf-8').headers({
      ...pageHeaders,
      'content-security-policy': policy,
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
      'cache-control': revalidated,
    });
    const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    reply.header('vary', 'accept-encoding');
    if (reply.statusCode === 200) {
      const etag = etagOf(text);
      // Weak when compressed: it is the same page in other bytes.
      reply.header('etag', isZipped ? `W/${etag}` : etag);
      if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send();
    }
    if (!isZipped) return reply.send(text);
    return reply.header('content-encoding', 'gzip').send(await zip(text));
  };
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply, site: Site | null) =>
    send(request, reply.code(404), site, messageView(preferred(request, site), 'notFound'));

  app.get('/help/_/:file', options, (request, reply) => {
    const asset = assets.get((request.params as { file: string }).file);
    if (!asset) throw notFound('file');
    return (
      reply
        .type(asset.type)
        // Asked for with the hash of its content.
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(asset.text)
    );
  });

  const redirectHome = async (request: FastifyRequest, reply: FastifyReply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    return reply.header('vary', 'accept-language').redirect(homePath(site, preferred(request, site)));
  };
  app.get('/help/:slug', options, redirectHome);
  app.get('/help/:slug/', options, redirectHome);
  app.get('/help/:slug/:language', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const { language } = request.params as Params;
    if (!site.languages.includes(language)) return sendNotFound(request, reply, site);
    return reply.redirect(homePath(site, language));
  });

  app.get('/help/:slug/:language/', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const { language } = request.params as Params;
    const page = pageOf(request);
    if (!site.languages.includes(language) || page === null) return sendNotFound(request, reply, site);
    const listing = await listPlace(db, site, language, null, page);
    return send(request, reply, site, homeView({ site, language, listing, page }));
  });

  app.get('/help/:slug/:language/collections/:id', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const { language, id } = request.params as Params;
    const page = pageOf(request);
    const all = await listCollections(db, site.accountId);
    const path = pathTo(all, id);
    if (!site.languages.includes(language) || page === null || path.length === 0) {
      return sendNotFound(request, reply, site);
    }
    const [listing, languages] = await Promise.all([
      listPlace(db, site, language, id, page),
      languagesOfCollection(db, site, all, id),
    ]);
    // Nothing links to it, so not even its name is shown.
    if (listing.collections.length + listing.articles.length === 0) return sendNotFound(request, reply, site);
    return send(request, reply, site, collectionView({ site, language, listing, page }, path, languages));
  });

  app.get('/help/:slug/:language/articles/:id', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const { language, id } = request.params as Params;
    const article = await findPublicArticle(db, site, id);
    if (!article || !site.languages.includes(language)) return sendNotFound(request, reply, site);
    if (article.shownIn !== language) return reply.redirect(articlePath(site, article.shownIn, article.id));
    const [all, others] = await Promise.all([
      listCollections(db, site.accountId),
      selectTranslations(db, site.accountId, article),
    ]);
    const translations = new Map<string, { language: string; id: string }>();
    for (const other of others) {
      const shownIn = languageOf(site, other.language);
      if (shownIn === null || shownIn === language || translations.has(shownIn)) continue;
      translations.set(shownIn, { language: shownIn, id: other.id });
    }
    const page = articleView({
      site,
      article,
      path: pathTo(all, article.collectionId),
      translations: [...translations.values()],
      isThanked: (request.query as Record<string, unknown>).thanks !== undefined,
    });
    return send(request, reply, site, page);
  });

  app.get('/help/:slug/search', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const query = request.query as Record<string, unknown>;
    const q = typeof query.q === 'string' ? query.q.trim().slice(0, 200).toWellFormed() : '';
    const asked = String(query.language ?? '');
    const language = site.languages.includes(asked) ? asked : preferred(request, site);
    const found = await searchArticles({ db, knowledgeSearch }, site, language, q, resultsShown);
    return send(request, reply, site, searchView(site, language, q, found));
  });

  app.get('/help/:slug/sitemap.xml', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const origin = originOf(request);
    const etag = etagOf(`${origin} ${await selectSitemapVersion(db, site.accountId)}`);
    reply.type('application/xml; charset=utf-8').headers({ 'cache-control': revalidated, etag });
    if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const articles = await selectForSitemap(db, site.accountId, sitemapArticles);
    return reply.send(sitemap(origin, site, articles));
  });

  app.get('/help/:slug/files/:id', options, async (request, reply) => {
    const site = await enter(request, reply);
    if (!site) return reply;
    const { id: fileKey } = request.params as Params;
    const { accountId, logoFileKey } = site;
    const isShown =
      isId(fileKey) && (fileKey === logoFileKey || (await isImageOfArticle(db, accountId, fileKey)));
    const file = isShown ? await findStoredFile(db, accountId, fileKey) : null;
    if (!file || kindOf(file.contentType) !== 'image') return sendNotFound(request, reply, site);
    const { contentType, size } = file;
    const expiresAt = clock.now() + fileDayMs;
    const use = { method: 'GET', accountId, fileKey, contentType, size, variant: 'file', expiresAt } as const;
    const { 'if-none-match': known } = request.headers;
    const { status, headers, open } = await prepareDownload(
      files,
      use,
      known ? { 'if-none-match': known } : {},
    );
    reply.code(status).headers({ ...headers, 'cache-control': revalidated });
    return status === 304 || request.method === 'HEAD' ? reply.send() : reply.send(await open());
  });

  // A separate scope: only here is a form read.
  void app.register(async (scope: App) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => {
        const helpful = new URLSearchParams(String(body)).get('helpful');
        if (helpful !== 'true' && helpful !== 'false') done(badRequest('helpful must be true or false'));
        else done(null, { helpful: helpful === 'true' });
      },
    );
    scope.post(
      '/help/:slug/articles/:id/feedback',
      {
        ...options,
        schema: {
          hide: true,
          params: Type.Object({ slug: Type.String(), id: Type.String() }),
          body: ArticleFeedback,
        },
      },
      async (request, reply) => {
        const site = await enter(request, reply);
        if (!site) return reply;
        const article = await findPublicArticle(db, site, request.params.id);
        if (!article) return sendNotFound(request, reply, site);
        const address = addressToCount(request.clientAddress);
        const { helpful } = request.body;
        await takeVote({ db, secrets }, site.accountId, clock.now(), article, { address, helpful });
        // A form of a page without the script.
        if (!request.headers['content-type']?.startsWith('application/json')) {
          return reply.redirect(`${articlePath(site, article.shownIn, article.id)}?thanks=1`, 303);
        }
        return reply.code(204).send();
      },
    );
  });

  app.get('/help/*', options, async (request, reply) => {
    const slug = (request.params as { '*': string })['*'].split('/', 1)[0]!;
    request.params = { slug };
    const site = await enter(request, reply);
    return site ? sendNotFound(request, reply, site) : reply;
  });
}

const isSlug = (text: string): boolean => /^[a-z0-9-]{3,60}$/.test(text);

const zip = promisify(gzip);
const etagOf = (text: string) => `"${sha256(text).toString('base64url').slice(0, 22)}"`;

/** Null: there is no such page. */
function pageOf(request: FastifyRequest): number | null {
  const { page = '1' } = request.query as Record<string, unknown>;
  const number = /^[1-9]\d{0,3}$/.test(String(page)) ? Number(page) : null;
  return number !== null && number <= maxPage ? number : null;
}

/** Of the address, then of the browser, then the first one of the site. */
function preferred(request: FastifyRequest, site: Site | null): string {
  const languages = site?.languages ?? ['en', 'es', 'pt'];
  const inPath = (request.params as Partial<Params>).language;
  if (inPath !== undefined && languages.includes(inPath)) return inPath;
  const wanted = String(request.headers['accept-language'] ?? '')
    .split(',', 20)
    .map((part) => part.split(';', 1)[0]!.trim().toLowerCase());
  for (const one of wanted) {
    const found = languages.find((language) => {
      const known = language.toLowerCase();
      return known === one || known.split('-', 1)[0] === one.split('-', 1)[0];
    });
    if (found) return found;
  }
  return languages[0]!;
}
