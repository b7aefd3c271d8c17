/** What browsers load of the widget: the script for a site, the frame with the chat, and a page to try both. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Type } from '../../../contract/shapes/type.ts';
import { choice } from '../../../contract/shapes/values.ts';
import type { Context } from '../../context.ts';
import { builtFiles, sendFile } from '../../platform/http/dashboard.routes.ts';
import { notFound } from '../../platform/http/errors.ts';
import { hasVersion } from '../../platform/http/etag.ts';
import type { App } from '../../platform/http/http.ts';
import { pageHeaders } from '../../platform/http/security-headers.ts';
import { sha256 } from '../../platform/secrets/secrets.ts';
import { findSiteOfAccount } from '../help-center/help-center.ts';
import { serviceOf } from './service/widget-api.offers.ts';
import {
  framePage,
  framePolicy,
  guideLanguages,
  inScript,
  previewPage,
  previewPolicy,
} from './widget-api.pages.ts';
import { findWidgetOfSite, lookOf } from './widget-api.settings.ts';

const builtAt = fileURLToPath(new URL('../../../dist/widget', import.meta.url));
const options = {
  config: { access: { public: true } },
  schema: {
    hide: true,
    querystring: Type.Object({ channel: Type.Optional(Type.String({ maxLength: 512 })) }),
  },
} as const;
const previewOptions = {
  ...options,
  schema: {
    hide: true,
    querystring: Type.Object({
      ...options.schema.querystring.properties,
      guide: Type.Optional(choice(guideLanguages)),
    }),
  },
} as const;
/** Compressed scripts in the cache: one for each channel and state of its settings. */
const maxKept = 200;

export function widgetPageRoutes(app: App, { db, clock, config }: Context): void {
  const files = builtFiles(builtAt);
  const loader = files.get('loader.js')?.plain.toString('utf8') ?? notBuilt;
  const version = (name: string) =>
    sha256(files.get(name)?.plain ?? '')
      .toString('base64url')
      .slice(0, 12);
  const assets = {
    script: `/widget/assets/frame.js?v=${version('frame.js')}`,
    style: `/widget/assets/frame.css?v=${version('frame.css')}`,
  };
  const scripts = new LRUCache<string, Script>({ max: maxKept });

  app.get('/widget.js', options, async (request, reply) => {
    const widget = await findWidgetOfSite(db, request.query.channel ?? '');
    reply.type('text/javascript; charset=utf-8').headers({
      'x-content-type-options': 'nosniff',
      // Sites of every origin load it, also those with cross-origin isolation.
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      vary: 'accept-encoding',
    });
    if (!widget) {
      reply.header('cache-control', 'no-cache').code(404);
      return reply.send(`console.warn('Talkboard: there is no website channel with this id.');\n`);
    }
    const text = loader.replace('__TALKBOARD_LOOK__', () => inScript({ ...lookOf(widget), assets }));
    const script = scripts.get(text) ?? keep(scripts, text);
    reply.header('cache-control', 'public, max-age=60').header('etag', script.etag);
    if (hasVersion(request.headers['if-none-match'], script.etag)) return reply.code(304).send();
    return sendScript(request, reply, script);
  });

  app.get('/widget/frame', options, async (request, reply) => {
    const widget = await findWidgetOfSite(db, request.query.channel ?? '');
    if (!widget) throw notFound('channel');
    return reply
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': framePolicy(widget.allowedOrigins, config.s3),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        'cross-origin-resource-policy': 'cross-origin',
        'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      })
      .send(
        framePage(
          {
            ...lookOf(widget),
            service: serviceOf(widget, clock.now(), config.mail !== null),
            hasArticles: (await findSiteOfAccount(db, widget.accountId)) !== null,
          },
          assets,
        ),
      );
  });

  app.get('/widget/assets/:name', { ...options, schema: { hide: true } }, (request, reply) => {
    const { name } = request.params as { name: string };
    const file = files.get(name);
    if (!file || name === 'loader.js') throw notFound('file');
    reply.header('cross-origin-resource-policy', 'cross-origin');
    // Requested by the hash of its content.
    return sendFile(request, reply, `assets/${name}`, file);
  });

  app.get('/widget/preview', previewOptions, async (request, reply) => {
    const widget = await findWidgetOfSite(db, request.query.channel ?? '');
    if (!widget) throw notFound('channel');
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .type('text/html; charset=utf-8')
      .headers({
        ...pageHeaders,
        'content-security-policy': previewPolicy(nonce),
        // The dashboard shows it in a frame.
        'x-frame-options': 'SAMEORIGIN',
      })
      .send(previewPage(widget.channelId, nonce, request.query.guide));
  });
}

interface Script {
  etag: string;
  plain: string;
  gzip: Buffer;
  brotli: Buffer;
}

function keep(scripts: LRUCache<string, Script>, text: string): Script {
  const script = {
    etag: `"${sha256(text).toString('base64url').slice(0, 22)}"`,
    plain: text,
    gzip: gzipSync(text, { level: 9 }),
    brotli: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  };
  scripts.set(text, script);
  return script;
}

function sendScript(request: FastifyRequest, reply: FastifyReply, script: Script) {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(script.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(script.gzip);
  return reply.send(script.plain);
}

const notBuilt = `console.warn('Talkboard: the widget has not been built; npm start does that.', __TALKBOARD_LOOK__);\n`;
