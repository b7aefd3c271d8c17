/** Where other nodes call this one. Only a process with the same SECRET_KEY can. */
import { Readable } from 'node:stream';
import type { App } from '../http/http.ts';
import { callPath, callType, maxCallBytes } from './node-calls.ts';
import { nodeHeader } from './node-signature.ts';
import type { Nodes } from './nodes.ts';

export async function nodesRoutes(app: App, nodes: Nodes): Promise<void> {
  await app.register(async (scope) => {
    // As bytes: nothing is read from a body before its signature is checked.
    scope.addContentTypeParser(callType, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(
      callPath,
      {
        // The request has its place in the queue of the node that got it: two nodes must not wait for each other's.
        config: { access: { public: true }, neverBusy: true },
        schema: { hide: true },
        bodyLimit: maxCallBytes,
        onRequest: async (request) => nodes.checkHeader(request.headers[nodeHeader]),
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const parts = nodes.answer(request.headers[nodeHeader], body);
        return reply.type(callType).send(Readable.from(parts, { objectMode: false }));
      },
    );
  });
}
