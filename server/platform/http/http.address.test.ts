import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { createLogger } from '../logger.ts';
import { createHttp } from './http.ts';

it('the address of a client that hung up is still known', async () => {
  const app = createHttp(createLogger('silent'), async () => null);
  const begun = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<string>();
  app.get('/slow', async (request) => {
    const closed = once(request.raw.socket, 'close');
    begun.resolve();
    await closed;
    seen.resolve(String(request.clientAddress));
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, path: '/slow' }).on('error', () => {});
  await begun.promise;
  request.destroy();
  const address = await seen.promise;
  await app.close();
  assert.equal(address, '127.0.0.1');
});
