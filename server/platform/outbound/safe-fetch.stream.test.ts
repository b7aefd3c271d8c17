import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startRawReceiver, startReceiver } from '../../../test/support/receivers.ts';
import { parseOutboundAllow } from './outbound-address.ts';
import { createSafeFetch, OutboundError } from './safe-fetch.ts';

const { fetch, close, stats } = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1') });
after(close);
const failsWith = (code: string) => (error: unknown) =>
  error instanceof TypeError && error.cause instanceof OutboundError && error.cause.code === code;

test('a streamed answer arrives piece by piece', async (t) => {
  let stream: ServerResponse | undefined;
  const receiver = await startReceiver((_request, response) => {
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  t.after(() => receiver.close());
  const response = await fetch(receiver.origin, { method: 'POST', body: '{}' });
  assert.ok(response instanceof Response);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, 'data: 1\n\n');
  stream!.end('data: 2\n\n');
  assert.equal((await reader.read()).value, 'data: 2\n\n');
  assert.equal((await reader.read()).done, true);
});

test('strings, forms and Request objects are sent with their type and length', async (t) => {
  const receiver = await startReceiver(async (request, response) => {
    let length = 0;
    for await (const chunk of request) length += chunk.length;
    response.end(JSON.stringify([request.method, request.headers, length]));
  });
  t.after(() => receiver.close());
  const form = new FormData();
  form.set('file', new Blob(['abc']), 'a.txt');
  for (const [body, type] of [
    ['é', /^text\/plain/],
    [form, /^multipart\/form-data; boundary=/],
  ] as const) {
    const request = new Request(`${receiver.origin}/`, { method: 'PUT', body, headers: { 'x-a': 'b' } });
    const [method, headers, length] = (await (await fetch(request)).json()) as [
      string,
      Record<string, string>,
      number,
    ];
    assert.equal(method, 'PUT');
    assert.equal(headers['x-a'], 'b');
    assert.match(String(headers['content-type']), type);
    assert.equal(headers['content-length'], String(length));
  }
});

test('headers that belong to the connection are left out', async (t) => {
  const receiver = await startReceiver((request, response) => response.end(request.headers.host));
  t.after(() => receiver.close());
  const response = await fetch(receiver.origin, {
    headers: { host: 'elsewhere.test', 'content-length': '9' },
  });
  assert.equal(await response.text(), `127.0.0.1:${receiver.port}`);
});

test('an error status is an answer, and 204 has no body', async (t) => {
  const receiver = await startReceiver((request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { 'set-cookie': ['a=1', 'b=2'] }).end();
  });
  t.after(() => receiver.close());
  const failed = await fetch(`${receiver.origin}/429`);
  assert.deepEqual([failed.status, failed.ok, await failed.text()], [429, false, '']);
  assert.deepEqual(failed.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal((await fetch(`${receiver.origin}/204`)).body, null);
});

test('failures are a TypeError with the reason as its cause', async (t) => {
  await assert.rejects(fetch('http://10.0.0.1/'), failsWith('ADDRESS_REFUSED'));
  await assert.rejects(fetch('data:text/plain,hello'), failsWith('ADDRESS_REFUSED'));
  const receiver = await startRawReceiver((socket) => socket.end('220 mail.test ESMTP\r\n'));
  t.after(() => receiver.close());
  await assert.rejects(fetch(receiver.origin), failsWith('BAD_RESPONSE'));
});

test('a status that cannot be is a bad answer', async (t) => {
  const receiver = await startRawReceiver((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 999 Odd\r\ncontent-length: 5\r\n\r\nhello'));
  });
  t.after(() => receiver.close());
  await assert.rejects(fetch(receiver.origin), failsWith('BAD_RESPONSE'));
});

test('an endless answer fails with TOO_LARGE and its connection ends', async (t) => {
  const receiver = await startReceiver((_request, response) => {
    const chunk = Buffer.alloc(256 * 1024);
    const pump = () => {
      while (response.writable && response.write(chunk));
    };
    response.on('drain', pump);
    pump();
  });
  t.after(() => receiver.close());
  const response = await fetch(receiver.origin);
  await assert.rejects(
    response.text(),
    (error) => error instanceof OutboundError && error.code === 'TOO_LARGE',
  );
  await receiver.idle();
});

test('packed bytes are not unpacked', async (t) => {
  const packed = gzipSync(Buffer.alloc(1024 * 1024));
  const receiver = await startReceiver((request, response) => {
    assert.equal(request.headers['accept-encoding'], undefined);
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  t.after(() => receiver.close());
  const response = await fetch(receiver.origin);
  assert.equal((await response.arrayBuffer()).byteLength, packed.length);
});

test('a connection lost inside the body fails the reader', async (t) => {
  const receiver = await startReceiver((_request, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('hello', () => response.destroy());
  });
  t.after(() => receiver.close());
  const response = await fetch(receiver.origin);
  await assert.rejects(response.text(), (error) => error instanceof OutboundError && error.code === 'RESET');
});

for (const [moment, read] of [
  ['before', false],
  ['while', true],
] as const) {
  test(`cancelling ${moment} the body is read ends the connection`, async (t) => {
    const receiver = await startReceiver((_request, response) => response.write('hello'));
    t.after(() => receiver.close());
    const response = await fetch(receiver.origin);
    const reader = response.body!.getReader();
    if (read) await reader.read();
    await reader.cancel();
    await receiver.idle();
  });
}

test('aborting before the answer rejects with the reason', async (t) => {
  const receiver = await startReceiver(() => {});
  t.after(() => receiver.close());
  const controller = new AbortController();
  const outcome = fetch(receiver.origin, { signal: controller.signal });
  while (receiver.connections === 0) await new Promise(setImmediate);
  controller.abort();
  await assert.rejects(outcome, { name: 'AbortError' });
  await receiver.idle();
  await assert.rejects(fetch(receiver.origin, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('waiting for a connection ends with the deadline or the signal, and sends nothing', async (t) => {
  const allow = parseOutboundAllow('127.0.0.1');
  const narrow = createSafeFetch({ allow, streamConnections: 1 });
  t.after(() => narrow.close());
  let requests = 0;
  const receiver = await startReceiver(() => requests++);
  t.after(() => receiver.close());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const first = narrow.fetch(receiver.origin, { method: 'POST', body: '1' });
  while (requests === 0) await new Promise(setImmediate);
  const controller = new AbortController();
  const aborted = narrow.fetch(receiver.origin, { method: 'POST', signal: controller.signal });
  const waiting = narrow.fetch(receiver.origin, { method: 'POST' });
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, { message: 'enough' });
  const outcomes = Promise.allSettled([first, waiting]);
  t.mock.timers.tick(600_000);
  const codes = (await outcomes).map((one) => one.status === 'rejected' && one.reason.cause.code);
  assert.deepEqual(codes, ['TIMEOUT', 'CONNECT_TIMEOUT']);
  assert.equal(requests, 1);
});

test('aborting inside the answer rejects the reader with the reason', async (t) => {
  const receiver = await startReceiver((_request, response) => response.write('hello'));
  t.after(() => receiver.close());
  const controller = new AbortController();
  const response = await fetch(receiver.origin, { signal: controller.signal });
  const text = response.text();
  controller.abort(new Error('enough'));
  await assert.rejects(text, { message: 'enough' });
  await receiver.idle();
});

test('no connection stays behind', async () => {
  // The test's own timeout ends this if it never becomes true.
  while (stats().connections > 0) await new Promise(setImmediate);
});
