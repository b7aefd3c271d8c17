/**
 * The OpenAPI document of routes. In a module of its own, which is loaded with the first request for the document: its library
 * brings 90 modules that a start would wait for.
 */
import swagger from '@fastify/swagger';
import { fastify, type RouteOptions } from 'fastify';
import { ErrorBody } from '../../../../contract/shapes/errors.ts';
import { version } from '../../../../contract/version.ts';
import { describeWebhooks } from './api-reference.webhooks.ts';

export async function describeRoutes(routes: readonly RouteOptions[], publicUrl: string): Promise<object> {
  const app = fastify({ exposeHeadRoutes: false });
  // These routes are never called.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => '');
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
  for (const { method, url, schema, config } of routes) {
    app.route({ method, url, schema, config, handler: async () => {} });
  }
  await app.ready();
  return app.swagger();
}

function errorAnswers(isPublic: boolean): object {
  const error = { description: 'The error', $ref: '#/components/schemas/Error' };
  return isPublic ? { '4XX': error } : { 401: error, '4XX': error, 503: error };
}
