import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Canary, startCanary, startReceiver } from '../../../test/support/receivers.ts';
import { ssrfVectors } from '../../../test/support/ssrf-vectors.ts';
import { checkOutboundUrl, type OutboundLookup, parseOutboundAllow } from './outbound-address.ts';
import { createSafeFetch, OutboundError, type SafeFetch } from './safe-fetch.ts';

const none = parseOutboundAllow('');
const noDns: OutboundLookup = () => Promise.reject(new Error('no DNS'));
const fails = (code: string) => (error: unknown) => error instanceof OutboundError && error.code === code;

let canary: Canary;
let closedClient: SafeFetch;

before(async () => {
  canary = await startCanary();
  closedClient = createSafeFetch({ allow: none, lookup: noDns });
});
after(async () => {
  await closedClient.close();
  await canary.close();
});

test('request() refuses every vector and the canaries see nothing', async () => {
  for (const vector of ssrfVectors) {
    const url = vector.url(canary.port);
    await assert.rejects(
      closedClient.request(url, { method: 'POST', body: 'x' }),
      fails('ADDRESS_REFUSED'),
      `${vector.name}: ${url}`,
    );
  }
  assert.equal(await canary.hits(), 0);
});

test('fetch refuses every vector and the canaries see nothing', async () => {
  for (const vector of ssrfVectors) {
    await assert.rejects(closedClient.fetch(vector.url(canary.port)), TypeError, vector.name);
  }
  assert.equal(await canary.hits(), 0);
});

test('a canary is within reach when it is allowed, so the silence above means something', async (t) => {
  const reachable = await startCanary();
  t.after(() => reachable.close());
  const open = createSafeFetch({ allow: parseOutboundAllow('127.0.0.0/8,::1') });
  t.after(() => open.close());
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '2130706433']) {
    await assert.rejects(open.request(`http://${host}:${reachable.port}/`, {}), fails('BAD_RESPONSE'), host);
  }
  assert.equal(await reachable.hits(), 4);
});

const turns = (...answers: string[][]): OutboundLookup & { calls: number } => {
  const lookup = async () => {
    const ips = answers[Math.min(lookup.calls, answers.length - 1)]!;
    lookup.calls += 1;
    return ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  lookup.calls = 0;
  return lookup;
};

test('a name that is public when configured and private when used is refused', async (t) => {
  const lookup = turns(['8.8.8.8'], ['127.0.0.1']);
  const client = createSafeFetch({ allow: none, lookup });
  t.after(() => client.close());
  const url = `http://rebind.test:${canary.port}/`;
  assert.equal(await checkOutboundUrl(url, none, lookup), null);
  await assert.rejects(client.request(url, { body: 'x' }), fails('ADDRESS_REFUSED'));
  assert.equal(await canary.hits(), 0);
});

test('each connection resolves once and goes to the address that was judged', async (t) => {
  const seen: string[] = [];
  const receiver = await startReceiver((request, response) => {
    seen.push(String(request.socket.localAddress));
    response.setHeader('connection', 'close').end('ok');
  });
  t.after(() => receiver.close());
  // 127.0.0.2 plays the private address and 127.0.0.1 the public one.
  const lookup = turns(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']);
  const client = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1'), lookup });
  t.after(() => client.close());
  const url = `http://rebind.test:${receiver.port}/`;
  assert.equal((await client.request(url, {})).status, 200);
  assert.equal(lookup.calls, 1);
  await assert.rejects(client.request(url, {}), fails('ADDRESS_REFUSED'));
  await assert.rejects(client.request(url, {}), fails('ADDRESS_REFUSED'));
  assert.equal((await client.request(url, {})).status, 200);
  assert.equal(lookup.calls, 4);
  assert.deepEqual(seen, ['127.0.0.1', '127.0.0.1']);
  assert.equal(receiver.connections, 2);
});

test('a redirect comes back as its status and is not followed', async (t) => {
  const receiver = await startReceiver((request, response) => {
    const location = `http://127.0.0.1:${canary.port}${request.url}`;
    response.writeHead(Number(request.url?.slice(1)), { location }).end('moved');
  });
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow: parseOutboundAllow(`127.0.0.1:${receiver.port}`) });
  t.after(() => client.close());
  for (const status of [301, 302, 303, 307, 308]) {
    const answer = await client.request(`${receiver.origin}/${status}`, { method: 'POST', body: 'x' });
    assert.equal(answer.status, status);
    const fetched = await client.fetch(`${receiver.origin}/${status}`, { redirect: 'follow' });
    assert.equal(fetched.status, status);
    assert.equal(await fetched.text(), 'moved');
  }
  assert.equal(await canary.hits(), 0);
});

test('an allowed port opens that port only', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end('ok'));
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow: parseOutboundAllow(`127.0.0.0/8:${receiver.port}`) });
  t.after(() => client.close());
  for (const host of ['127.0.0.1', 'localhost', 'app.localhost.', '[::ffff:127.0.0.1]', '0x7f.1']) {
    assert.equal((await client.request(`http://${host}:${receiver.port}/`, {})).body, 'ok', host);
    await assert.rejects(
      client.request(`http://${host}:${canary.port}/`, {}),
      fails('ADDRESS_REFUSED'),
      host,
    );
  }
  assert.equal(await canary.hits(), 0);
});

test('a name that does not resolve fails with DNS', async () => {
  await assert.rejects(closedClient.request('http://hooks.test/', {}), fails('DNS'));
});

test('what is sent arrives: method, path, headers, bytes', async (t) => {
  const receiver = await startReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    response.writeHead(201, { 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] });
    response.end(
      JSON.stringify({ method, url, id: headers['webhook-id'], body: Buffer.concat(chunks).toString('hex') }),
    );
  });
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1') });
  t.after(() => client.close());
  const body = Buffer.from([0, 255, 10, 13]);
  const answer = await client.request(`${receiver.origin}/a%20b?c=d#e`, {
    body,
    headers: { 'webhook-id': 'msg_1' },
  });
  assert.equal(answer.status, 201);
  assert.deepEqual(JSON.parse(answer.body), {
    method: 'POST',
    url: '/a%20b?c=d',
    id: 'msg_1',
    body: '00ff0a0d',
  });
  assert.equal(answer.headers['x-one'], '1');
  assert.equal(answer.headers['set-cookie'], 'a=1, b=2');
  assert.equal(answer.truncated, false);
  assert.equal(JSON.parse((await client.request(receiver.origin, {})).body).method, 'GET');
});

test('headers that would break the request apart are refused before anything is sent', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end());
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1') });
  t.after(() => client.close());
  for (const headers of [
    { 'x-a': 'b\r\nx-injected: 1' },
    { 'x-a': 'b\nc' },
    { 'x-a': 'b\0c' },
    { 'x-a\r\nx-b': 'c' },
    { 'x a': 'c' },
    { '': 'c' },
    { Host: 'elsewhere.test' },
    { 'transfer-encoding': 'chunked' },
    { 'Content-Length': '3' },
    { connection: 'close' },
  ] as Record<string, string>[]) {
    await assert.rejects(
      client.request(receiver.origin, { headers }),
      fails('BAD_REQUEST'),
      JSON.stringify(headers),
    );
  }
  assert.equal(receiver.connections, 0);
  assert.deepEqual(client.stats(), { origins: 0, connections: 0 });
});

test('close() cuts what is still running', async (t) => {
  const receiver = await startReceiver(() => {});
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1'), connections: 1 });
  const running = client.request(receiver.origin, {});
  const waiting = client.request(receiver.origin, {});
  const fetched = client.fetch(receiver.origin);
  while (receiver.connections < 2) await new Promise(setImmediate);
  const outcomes = Promise.allSettled([running, waiting, fetched]);
  await client.close();
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  await receiver.idle();
});

test('after close() calls fail and none is made', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end());
  t.after(() => receiver.close());
  const client = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1') });
  await client.close();
  await assert.rejects(client.request(receiver.origin, {}), fails('CONNECT'));
  await assert.rejects(client.fetch(receiver.origin), TypeError);
  assert.equal(receiver.connections, 0);
  await receiver.close();
});
