/** /openapi.json, generated from the schemas that validate, and /docs, a reference page that needs no network. */
import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
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
  await app.register(reference, {
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
}

function errorAnswers(isPublic: boolean): object {
  const error = { description: 'What went wrong', $ref: '#/components/schemas/Error' };
  return isPublic ? { '4XX': error } : { 401: error, '4XX': error, 503: error };
}
