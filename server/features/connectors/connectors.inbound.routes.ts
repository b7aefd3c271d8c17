import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ErrorBody } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { bodyTooLarge } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import type { OpenLink } from './connectors.links.ts';
import type { InboundRequest } from './connectors.provider.ts';
import { admitInbound, receiveInbound } from './inbound/connectors.receive.ts';

const tags = ['Connectors'];
const description =
  'For the provider, which is known by its signature or secret: 401 without it. 404 for a channel without a connector; 503 with `Retry-After` while the channel is disabled or disconnected.';

/** In a scope of its own: a body stays as it came until the signature has been checked. */
export async function connectorInboundRoutes(app: App, context: Context): Promise<void> {
  const { publicUrl } = context.config;
  const admitted = new WeakMap<FastifyRequest, OpenLink>();
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
      readBody(payload, request, admitted.get(request)!.provider.limits.inboundBytes),
    );
    for (const method of ['GET', 'POST'] as const) {
      (scope as App).route({
        method,
        url: '/connect/:channelId',
        exposeHeadRoute: false,
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
        onRequest: async (request) => {
          const { channelId } = request.params;
          const opened = await admitInbound(context, channelId, flat(request.headers));
          admitted.set(request, opened);
          request.isKnown = opened.provider.verifyHeaders !== undefined;
        },
        handler: async (request, reply) => {
          const inbound = toInbound(request, method, publicUrl);
          const { status, contentType, body } = await receiveInbound(
            context,
            admitted.get(request)!,
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

/** What is too large is not kept: the rest of it is read and dropped, so that the caller sees the answer. */
function readBody(payload: Readable, { headers }: FastifyRequest, maxBytes: number): Promise<Buffer> {
  if (Number(headers['content-length']) > maxBytes) return Promise.reject(bodyTooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    payload.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else {
        chunks = [];
        reject(bodyTooLarge());
      }
    });
    payload.on('end', () => resolve(Buffer.concat(chunks)));
    payload.on('error', reject);
  });
}

const one = (value: unknown) => String(Array.isArray(value) ? value.join(', ') : value);
const flat = (entries: object): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, one(value)]));

function toInbound(request: FastifyRequest, method: 'GET' | 'POST', publicUrl: string): InboundRequest {
  return {
    method,
    url: `${publicUrl}${request.url}`,
    query: flat(request.query as object),
    headers: flat(request.headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
}
