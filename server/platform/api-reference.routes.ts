/** /openapi.json, generated from the schemas that validate, and /docs, a reference page that needs no network. */
import swagger from '@fastify/swagger';
import { type FastifyInstance, fastify } from 'fastify';
import { ErrorBody } from '../../contract/errors.ts';
import { version } from '../../contract/version.ts';
import { describeWebhooks } from './api-reference.webhooks.ts';
import type { App } from './http.ts';

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
  referencePage(app);
}

/**
 * The page's library holds its 4 MB in memory as a text, ten times that while it is loaded. Few people read the page,
 * so it stands in a server of its own that is made for the first of them.
 */
function referencePage(app: App): void {
  let opened: Promise<FastifyInstance> | null = null;
  const page = { config: { access }, schema: { hide: true } };
  for (const path of ['/docs', '/docs/*']) {
    app.get(path, page, async (request, reply) => {
      opened ??= openReference().catch((error) => {
        opened = null;
        throw error;
      });
      const { statusCode, headers, rawPayload } = await (await opened).inject({ url: request.url });
      return reply.code(statusCode).headers(headers).send(rawPayload);
    });
  }
  app.addHook('onClose', async () => (await opened?.catch(() => null))?.close());
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
      // Its maker's own: asking their AI, sharing, deploying to their cloud.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      favicon: '/app/favicon.svg',
    },
  });
  return server;
}

function errorAnswers(isPublic: boolean): object {
  const error = { description: 'What went wrong', $ref: '#/components/schemas/Error' };
  return isPublic ? { '4XX': error } : { 401: error, '4XX': error, 503: error };
}
