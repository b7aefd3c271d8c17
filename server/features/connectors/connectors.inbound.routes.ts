import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { connectorBodyBytes } from '../../../contract/connectors.ts';
import { ErrorBody } from '../../../contract/shapes/errors.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { InboundRequest } from './connectors.provider.ts';
import { receiveInbound } from './inbound/connectors.receive.ts';

const tags = ['Connectors'];
const description =
  'For the provider, which is known by its signature or secret: 401 without it. 404 for a channel without a connector; 503 with `Retry-After` while the channel is disabled or disconnected.';

/** In a scope of its own: a body stays as it came until the signature has been checked. */
export async function connectorInboundRoutes(app: App, context: Context): Promise<void> {
  const { publicUrl } = context.config;
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: connectorBodyBytes },
      (_request, body, done) => done(null, body),
    );
    for (const method of ['GET', 'POST'] as const) {
      (scope as App).route({
        method,
        url: '/connect/:channelId',
        exposeHeadRoute: false,
        bodyLimit: connectorBodyBytes,
        config: { access: { public: true } },
        schema: {
          tags,
          summary: method === 'GET' ? "The provider's handshake" : "The provider's deliveries",
          description,
          params: Type.Object({ channelId: Type.String() }),
          response: {
            200: {
              description: 'As the provider expects it',
              content: { 'text/plain': { schema: Type.String() } },
            },
            503: ErrorBody,
          },
        },
        handler: async (request, reply) => {
          const inbound = toInbound(request, method, publicUrl);
          const { status, contentType, body } = await receiveInbound(
            context,
            request.params.channelId,
            inbound,
          );
          // Also what the provider's folder refuses, such as another method.
          reply.code(status as 200).header('x-content-type-options', 'nosniff');
          return reply.type(contentType ?? 'text/plain; charset=utf-8').send(body ?? '');
        },
      });
    }
  });
}

function toInbound(request: FastifyRequest, method: 'GET' | 'POST', publicUrl: string): InboundRequest {
  const one = (value: unknown) => String(Array.isArray(value) ? value.join(', ') : value);
  const flat = (entries: object) =>
    Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, one(value)]));
  return {
    method,
    url: `${publicUrl}${request.url}`,
    query: flat(request.query as object),
    headers: flat(request.headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
}
