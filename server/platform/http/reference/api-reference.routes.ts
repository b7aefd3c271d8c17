/** /openapi.json, generated from the schemas that validate, and /docs, a reference page that needs no network. */
import { randomBytes } from 'node:crypto';
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import type { App } from '../http.ts';
import { pageHeaders } from '../security-headers.ts';

const access = { public: true } as const;

export function documentRoutes(app: App, publicUrl: string): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route);
  });
  const document = onFirstUse(async () => {
    const { describeRoutes } = await import('./openapi.ts');
    return describeRoutes(routes, publicUrl);
  });
  app.get('/openapi.json', { config: { access }, schema: { hide: true } }, document);
  referencePage(app, publicUrl);
}

/** If it fails, the next use tries again. */
function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/**
 * The library of the page needs 4 MB of memory as text, ten times that while loading. Few people read the page, so it
 * is loaded into a separate server on first use.
 */
function referencePage(app: App, publicUrl: string): void {
  let opened: Promise<FastifyInstance> | null = null;
  const page = { config: { access }, schema: { hide: true } };
  for (const path of ['/docs', '/docs/*']) {
    app.get(path, page, async (request, reply) => {
      opened ??= openReference().catch((error) => {
        opened = null;
        throw error;
      });
      const { statusCode, headers, rawPayload } = await (await opened).inject({ url: request.url });
      const type = String(headers['content-type'] ?? '');
      reply.code(statusCode);
      if (headers.location) return reply.redirect(String(headers.location), statusCode);
      if (!type.startsWith('text/html'))
        return reply.type(type).header('cache-control', 'public, max-age=300').send(rawPayload);
      const nonce = randomBytes(16).toString('base64url');
      return reply
        .type(type)
        .headers({ ...pageHeaders, 'content-security-policy': referencePolicy(nonce, publicUrl) })
        .send(rawPayload.toString('utf8').replaceAll(noncePlace, nonce));
    });
  }
  app.addHook('onClose', async () => (await opened?.catch(() => null))?.close());
}

/** Filled in with a fresh nonce for each response. */
const noncePlace = '__CSP_NONCE__';

/**
 * Only the library's own script. Its editor writes style elements without a nonce; requests that a reader tries go to
 * PUBLIC_URL.
 */
function referencePolicy(nonce: string, publicUrl: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function openReference(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Talkboard API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // Features of its vendor: asking their AI, sharing, deploying to their cloud.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      favicon: '/app/favicon.svg',
      nonce: noncePlace,
    },
  });
  return server;
}
