import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { type Receiver, startRawReceiver, startReceiver } from '../../../test/support/receivers.ts';
import { parseOutboundAllow } from './outbound-address.ts';
import { createSafeFetch, OutboundError, type SafeRequest } from './safe-fetch.ts';

const allow = parseOutboundAllow('127.0.0.1');
const client = createSafeFetch({ allow });
after(() => client.close());
const fails = (code: string) => (error: unknown) => error instanceof OutboundError && error.code === code;

/** Runs one request against a receiver with `listener`, and waits until the receiver has closed the connection. */
async function against(
  listener: (socket: Socket) => void,
  check: (
    send: (req?: SafeRequest) => ReturnType<typeof client.request>,
    receiver: Receiver,
  ) => Promise<void>,
): Promise<void> {
  const receiver = await startRawReceiver(listener);
  try {
    await check(
      (req = {}) => client.request(receiver.origin, { method: 'POST', body: '{}', ...req }),
      receiver,
    );
    await receiver.idle();
  } finally {
    await receiver.close();
  }
}

const drips = 5;

/**
 * The time passes when the receiver has the request: on a busy machine the connection alone may take half a second. Half
 * of it passes before the receiver drips, half of it after.
 */
async function isCut(t: TestContext, { head, drip }: { head?: string; drip?: string } = {}): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const dripped = Promise.withResolvers<void>();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await against(
    (socket) => {
      socket.once('data', () => asked.resolve());
      if (head) socket.write(head);
      if (!drip) return dripped.resolve();
      let written = 0;
      const again = setInterval(() => socket.write(drip, () => ++written === drips && dripped.resolve()), 5);
      socket.on('close', () => clearInterval(again));
    },
    async (send) => {
      const cut = assert.rejects(send({ totalTimeoutMs: 500 }), fails('TIMEOUT'));
      await asked.promise;
      t.mock.timers.tick(250);
      await dripped.promise;
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      t.mock.timers.tick(250);
      await cut;
      t.mock.timers.reset();
    },
  );
}

test('a receiver that never answers is cut at the total time-out', (t) => isCut(t));

test('a receiver that drips is cut at the total time-out, whatever its status', (t) =>
  isCut(t, { head: 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n', drip: '.' }));

test('a receiver that drips its headers is cut at the total time-out', (t) =>
  isCut(t, { head: 'HTTP/1.1 200 OK\r\nx: ', drip: '.' }));

test('endless interim answers are cut at the total time-out', (t) =>
  isCut(t, { drip: 'HTTP/1.1 103 Early Hints\r\n\r\n' }));

test('a name that hangs in DNS is cut at the connection time-out', async (t) => {
  const slow = createSafeFetch({ allow, lookup: () => new Promise(() => {}) });
  t.after(() => slow.close());
  await assert.rejects(
    slow.request('http://hooks.test/', { connectTimeoutMs: 100 }),
    (error) =>
      fails('CONNECT_TIMEOUT')(error) && /^no connection within 0.1 s$/.test((error as Error).message),
  );
});

test('a gigabyte is read to 64 KiB, kept to 4 KiB, and its status counts', async () => {
  let written = 0;
  await against(
    (socket) => {
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 1073741824\r\n\r\n');
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const pump = () => {
        do written += chunk.length;
        while (socket.writable && socket.write(chunk));
      };
      socket.on('drain', pump);
      pump();
    },
    async (send) => {
      const answer = await send();
      assert.equal(answer.status, 202);
      assert.equal(answer.body, 'a'.repeat(4096));
      assert.equal(answer.truncated, true);
    },
  );
  // More than the kernel buffers of both ends hold; a client that keeps reading would receive all of it.
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes written`);
});

test('a body within the limits leaves the connection in use', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end('b'.repeat(64 * 1024)));
  t.after(() => receiver.close());
  for (let i = 0; i < 20; i += 1) {
    const answer = await client.request(receiver.origin, {});
    assert.deepEqual([answer.body.length, answer.truncated], [4096, true]);
  }
  // undici rests a connection for one turn of the event loop, so a busy caller alternates between two.
  assert.ok(receiver.connections <= 2);
});

test('the limits can be set for a request', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end('c'.repeat(1000)));
  t.after(() => receiver.close());
  const whole = await client.request(receiver.origin, { keepBytes: 1000 });
  assert.deepEqual([whole.body.length, whole.truncated], [1000, false]);
  const none = await client.request(receiver.origin, { keepBytes: 0 });
  assert.deepEqual([none.body, none.truncated], ['', true]);
});

test('a kept body is storable text: no NUL, no broken characters', async (t) => {
  const bodies: Buffer[] = [
    Buffer.from([0x61, 0, 0x62, 0xff, 0xc3]),
    Buffer.from(`${'d'.repeat(4095)}é and more`),
    Buffer.from('né'),
  ];
  const receiver = await startReceiver((request, response) =>
    response.end(bodies[Number(request.url?.slice(1))]),
  );
  t.after(() => receiver.close());
  const [bad, cut, good] = await Promise.all(
    [0, 1, 2].map((i) => client.request(`${receiver.origin}/${i}`, {})),
  );
  assert.equal(bad!.body, 'a\ufffdb\ufffd\ufffd');
  assert.equal(cut!.body, 'd'.repeat(4095));
  assert.equal(good!.body, 'né');
});

const answersWith =
  (text: string, end = true) =>
  (socket: Socket) => {
    socket.once('data', () => (end ? socket.end(text) : socket.write(text)));
  };

for (const [name, listener, code] of [
  ['resets at once', (socket: Socket) => socket.resetAndDestroy(), 'RESET'],
  [
    'resets after the request',
    (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
    'RESET',
  ],
  ['closes without an answer', (socket: Socket) => socket.once('data', () => socket.end()), 'RESET'],
  ['closes inside the body', answersWith('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort'), 'RESET'],
  [
    'closes inside a chunk',
    answersWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nx'),
    'RESET',
  ],
  [
    'switches protocols unasked',
    answersWith('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'RESET',
  ],
  ['speaks another protocol', answersWith('220 mail.test ESMTP\r\n'), 'BAD_RESPONSE'],
  [
    'sends a malformed chunk',
    answersWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', false),
    'BAD_RESPONSE',
  ],
  [
    'sends endless headers',
    answersWith(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, false),
    'BAD_RESPONSE',
  ],
  [
    'frames its body in two ways',
    answersWith('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!', false),
    'BAD_RESPONSE',
  ],
] as [string, (socket: Socket) => void, string][]) {
  test(`a receiver that ${name} fails with ${code}`, () =>
    against(listener, (send) => assert.rejects(send(), fails(code))));
}

test('nobody listening fails with CONNECT', async () => {
  const receiver = await startReceiver(() => {});
  await receiver.close();
  await assert.rejects(client.request(receiver.origin, {}), fails('CONNECT'));
});

test('bytes sent after a complete answer are not taken for the next answer', async (t) => {
  const receiver = await startRawReceiver((socket) =>
    socket.on('data', () =>
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 Forged\r\ncontent-length: 0\r\n\r\n',
      ),
    ),
  );
  t.after(() => receiver.close());
  for (let i = 0; i < 3; i += 1) {
    const outcome = await client.request(receiver.origin, { body: 'x' }).then(
      ({ status }) => status,
      (error: OutboundError) => error.code,
    );
    assert.notEqual(outcome, 500);
  }
});

test('aborting rejects with the reason and ends the connection', () =>
  against(
    (socket) => socket.resume(),
    async (send, receiver) => {
      const controller = new AbortController();
      const outcome = send({ signal: controller.signal });
      while (receiver.connections === 0) await new Promise(setImmediate);
      controller.abort('enough');
      assert.equal(await outcome.catch((reason) => reason), 'enough');
    },
  ));

test('an aborted signal sends nothing', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end());
  t.after(() => receiver.close());
  await assert.rejects(client.request(receiver.origin, { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
  assert.equal(receiver.connections, 0);
});

test('a request that gives up while it waits for a connection is never sent', async (t) => {
  const seen: string[] = [];
  let release = () => {};
  const receiver = await startReceiver((request, response) => {
    seen.push(String(request.url));
    if (request.url === '/first') release = () => response.end();
    else response.end();
  });
  t.after(() => receiver.close());
  const narrow = createSafeFetch({ allow, connections: 1 });
  t.after(() => narrow.close());
  const first = narrow.request(`${receiver.origin}/first`, {});
  while (seen.length === 0) await new Promise(setImmediate);
  await assert.rejects(
    narrow.request(`${receiver.origin}/late`, { totalTimeoutMs: 50 }),
    fails('CONNECT_TIMEOUT'),
  );
  const third = narrow.request(`${receiver.origin}/third`, {});
  release();
  assert.equal((await first).status, 200);
  assert.equal((await third).status, 200);
  assert.deepEqual(seen, ['/first', '/third']);
});

test('an answer before the body is fully sent counts', () =>
  against(
    (socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
      );
    },
    async (send) => assert.equal((await send({ body: Buffer.alloc(100) })).status, 410),
  ));

test('no listener stays on a signal that many requests share', async (t) => {
  const receiver = await startReceiver((_request, response) => response.end());
  t.after(() => receiver.close());
  const { signal } = new AbortController();
  for (let i = 0; i < 3; i += 1) await client.request(receiver.origin, { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
