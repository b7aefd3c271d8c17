/** Where other nodes call this one. Only a process with the same SECRET_KEY can. */
import { Readable } from 'node:stream';
import type { App } from '../http/http.ts';
import { callPath, callType, maxCallBytes } from './node-calls.ts';
import { type AdmittedCall, nodeHeader } from './node-signature.ts';
import type { Nodes } from './nodes.ts';

export async function nodesRoutes(app: App, nodes: Nodes): Promise<void> {
  await app.register(async (scope) => {
    const admitted = new WeakMap<object, AdmittedCall>();
    // As bytes: nothing is read from a body before its digest is checked.
    scope.addContentTypeParser(callType, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(
      callPath,
      {
        // The request has its place in the queue of the node that got it: two nodes must not wait for each other's.
        config: { access: { public: true }, neverBusy: true },
        schema: { hide: true },
        bodyLimit: maxCallBytes,
        // Before the body: a stranger cannot make the process keep any of it.
        onRequest: async (request) => {
          admitted.set(request, nodes.admit(request.headers[nodeHeader]));
          request.isKnown = true;
        },
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const parts = nodes.answer(admitted.get(request)!, body);
        return reply.type(callType).send(Readable.from(parts, { objectMode: false }));
      },
    );
  });
}
