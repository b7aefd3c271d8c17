import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { createLogger } from '../logger.ts';
import { createHttp } from './http.ts';

it('a request that was begun before the stop is answered, and its connection is not offered for another', async () => {
  const app = createHttp(createLogger('silent'), async () => null);
  const begun = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  app.get('/slow', async () => {
    begun.resolve();
    await mayAnswer.promise;
    return { done: true };
  });
  app.addHook('preClose', async () => mayAnswer.resolve());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, path: '/slow', headers: { connection: 'keep-alive' } });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  await begun.promise;
  const closing = app.close();
  const [answer] = await answered;
  answer.resume();
  assert.deepEqual([answer.statusCode, answer.headers.connection], [200, 'close']);
  await closing;
});
