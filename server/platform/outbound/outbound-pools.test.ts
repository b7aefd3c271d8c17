import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { startCanary, startReceiver } from '../../../test/support/receivers.ts';
import { tlsCertificate, tlsKey, tlsName } from '../../../test/support/tls-certificate.ts';
import { type OutboundLookup, parseOutboundAllow } from './outbound-address.ts';
import { shareLookups } from './outbound-pools.ts';
import { createSafeFetch, OutboundError } from './safe-fetch.ts';

const allow = parseOutboundAllow('127.0.0.0/8');
const fails = (code: string) => (error: unknown) => error instanceof OutboundError && error.code === code;
const answers =
  (...ips: string[]): OutboundLookup =>
  async () =>
    ips.map((address) => ({ address, family: 4 }));

test('when the first address does not answer the next one is tried', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end('ok'));
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow, lookup: answers('127.0.0.3', '127.0.0.2', '127.0.0.1') });
  t.after(() => client.close());
  assert.equal((await client.request(`http://hooks.test:${receiver.port}/`, {})).body, 'ok');
});

test('when no address answers the call fails with CONNECT', async (t) => {
  const receiver = await startReceiver(() => {});
  await receiver.close();
  const client = createSafeFetch({ allow, lookup: answers('127.0.0.3', '127.0.0.2') });
  t.after(() => client.close());
  await assert.rejects(client.request(`http://hooks.test:${receiver.port}/`, {}), fails('CONNECT'));
});

test('a refused address among allowed ones refuses the name, and none of them is tried', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end('ok'));
  t.after(() => receiver.close());
  for (const ips of [
    ['127.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '127.0.0.1'],
    ['127.0.0.1', 'not an address'],
  ]) {
    const client = createSafeFetch({ allow, lookup: answers(...ips) });
    t.after(() => client.close());
    await assert.rejects(client.request(`http://hooks.test:${receiver.port}/`, {}), fails('ADDRESS_REFUSED'));
  }
  assert.equal(receiver.connections, 0);
});

test('callers that wait for one name share a look-up, and later ones ask anew', async () => {
  const asked: string[] = [];
  const lookup = shareLookups(async (hostname) => {
    asked.push(hostname);
    await new Promise(setImmediate);
    if (hostname === 'bad.test') throw new Error('not found');
    return [{ address: '8.8.8.8', family: 4 }];
  });
  await Promise.all([
    lookup('a.test'),
    lookup('a.test'),
    lookup('b.test'),
    assert.rejects(lookup('bad.test')),
  ]);
  assert.deepEqual(asked, ['a.test', 'b.test', 'bad.test']);
  await lookup('a.test');
  await assert.rejects(lookup('bad.test'));
  assert.deepEqual(asked.slice(3), ['a.test', 'bad.test']);
});

test('many calls at once keep to the connections of their origin', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end());
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow, connections: 4 });
  t.after(() => client.close());
  await Promise.all(Array.from({ length: 200 }, () => client.request(receiver.origin, { body: 'x' })));
  assert.equal(receiver.connections, 4);
  assert.deepEqual(client.stats(), { origins: 1, connections: 4 });
});

test('however many origins are called, few are remembered', async (t) => {
  const receiver = await startReceiver((request, response) => {
    if (request.url === '/cut') response.end('x'.repeat(100));
    else if (request.url === '/end') response.setHeader('connection', 'close').end();
    else request.socket.destroy();
  });
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow, lookup: answers('127.0.0.1') });
  t.after(() => client.close());
  for (let i = 0; i < 100; i += 1) {
    const origin = (kind: string) => `http://${kind}${i}.test:${receiver.port}`;
    await client.request(`${origin('a')}/cut`, { maxReadBytes: 10 });
    await client.request(`${origin('b')}/end`, {});
    await assert.rejects(client.request(`${origin('c')}/reset`, {}), fails('RESET'));
    await assert.rejects(client.request(`http://10.0.0.${i}/`, {}), fails('ADDRESS_REFUSED'));
    await receiver.idle();
  }
  assert.ok(client.stats().origins <= 65, JSON.stringify(client.stats()));
});

test('origins in use are kept, and so are their connections', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end());
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow, lookup: answers('127.0.0.1') });
  t.after(() => client.close());
  for (const round of [1, 2]) {
    for (let i = 0; i < 150; i += 1) await client.request(`http://host${i}.test:${receiver.port}/`, {});
    assert.equal(receiver.connections, 150, `round ${round}`);
  }
});

async function startTlsReceiver(): Promise<{ port: number; requests: number; close(): Promise<void> }> {
  const server = createServer({ key: tlsKey, cert: tlsCertificate }, (_request, response) => {
    receiver.requests += 1;
    response.end('ok');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const receiver = {
    port: (server.address() as AddressInfo).port,
    requests: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

test('certificates are checked: trusted and for the right name, or nothing is sent', async (t) => {
  const receiver = await startTlsReceiver();
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow, lookup: answers('127.0.0.1') });
  t.after(() => client.close());
  const send = (host: string) => client.request(`https://${host}:${receiver.port}/`, { body: 'x' });

  await assert.rejects(send(tlsName), fails('TLS'));
  setDefaultCACertificates([tlsCertificate]);
  await assert.rejects(send('other.test'), fails('TLS'));
  await assert.rejects(send('127.0.0.1'), fails('TLS'));
  assert.equal(receiver.requests, 0);
  assert.equal((await send(tlsName)).body, 'ok');
  assert.equal((await client.fetch(`https://${tlsName}:${receiver.port}/`)).status, 200);
});

test('TLS to a receiver that does not speak it fails with TLS', async (t) => {
  const receiver = await startReceiver(() => {});
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow });
  t.after(() => client.close());
  await assert.rejects(client.request(`https://127.0.0.1:${receiver.port}/`, {}), fails('TLS'));
});

test('the proxy variables of the environment are not followed', async (t) => {
  const proxy = await startCanary();
  t.after(() => proxy.close());
  const receiver = await startReceiver((_request, response) => response.end('ok'));
  t.after(() => receiver.close());
  const at = `http://127.0.0.1:${proxy.port}`;
  const script = `
    import { createSafeFetch } from ${JSON.stringify(import.meta.resolve('./safe-fetch.ts'))};
    import { parseOutboundAllow } from ${JSON.stringify(import.meta.resolve('./outbound-address.ts'))};
    const client = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1') });
    const sent = await client.request('${receiver.origin}', {});
    const fetched = await client.fetch('${receiver.origin}');
    console.log(sent.body, await fetched.text());
    await client.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { HTTP_PROXY: at, http_proxy: at, HTTPS_PROXY: at, ALL_PROXY: at, NODE_USE_ENV_PROXY: '1' },
  });
  assert.equal(stdout.trim(), 'ok ok');
  assert.equal(await proxy.hits(), 0);
});
