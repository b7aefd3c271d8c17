/** /openapi.json, generated from the schemas that validate, and /docs, a reference page that needs no network. */
import { randomBytes } from 'node:crypto';
import swagger from '@fastify/swagger';
import { type FastifyInstance, fastify } from 'fastify';
import { ErrorBody } from '../../../contract/shapes/errors.ts';
import { version } from '../../../contract/version.ts';
import { describeWebhooks } from './api-reference.webhooks.ts';
import type { App } from './http.ts';
import { pageHeaders } from './security-headers.ts';

const access = { public: true } as const;

export async function documentRoutes(app: App, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Talkboard',
        version,
        description: 'Customer messaging and CRM: boards, records, conversations and webhooks.',
      },
      servers: [{ url: publicUrl }],
      webhooks: describeWebhooks(),
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API token (tb_…) or the JWT of a signed-in user.',
          },
        },
        schemas: { Error: ErrorBody },
      },
    },
    transform: ({ schema, url, route }) => {
      const config = (route.config ?? {}) as { access?: { public?: true } };
      const isPublic = config.access?.public === true;
      return {
        url,
        schema: {
          ...schema,
          security: isPublic ? [] : [{ token: [] }],
          response: { ...(schema?.response as object | undefined), ...errorAnswers(isPublic) },
        },
      };
    },
  });
  app.get('/openapi.json', { config: { access }, schema: { hide: true } }, async () => app.swagger());
  referencePage(app, publicUrl);
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
      reply.code(statusCode).header('x-content-type-options', 'nosniff');
      if (headers.location) return reply.redirect(String(headers.location), statusCode);
      if (!type.startsWith('text/html')) return reply.type(type).send(rawPayload);
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

function errorAnswers(isPublic: boolean): object {
  const error = { description: 'The error', $ref: '#/components/schemas/Error' };
  return isPublic ? { '4XX': error } : { 401: error, '4XX': error, 503: error };
}
