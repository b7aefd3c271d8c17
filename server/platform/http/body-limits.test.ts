import assert from 'node:assert/strict';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, describe, it } from 'node:test';
import { limits } from '../../../contract/limits.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { createLogger } from '../logger.ts';
import { BodyReadings } from './body-limits.ts';
import { type App, createHttp } from './http.ts';

describe('bodies that are still arriving', () => {
  let app: App;
  let port: number;
  let time = 0;
  const sockets: Socket[] = [];
  const bodyReadings = new BodyReadings(
    {
      anonymousBytes: 40_000,
      addressBytes: 20_000,
      knownBytes: 40_000,
      graceMs: 1_000,
      bytesPerSecond: 1_000,
    },
    () => time,
  );
  before(async () => {
    app = createHttp(createLogger('silent'), async () => null, { bodyReadings });
    app.addHook('onRequest', (request, _reply, done) => {
      request.isKnown = request.headers['x-known'] !== undefined;
      done();
    });
    app.post('/echo', async () => ({ done: true }));
    app.server.on('connection', (socket) => accepted.push(socket));
    await app.listen({ host: '::', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  after(() => app.close());

  /** Sends the head and a part of the body, and leaves the rest out. */
  const begin = (announced: number, sent: number, { from = '127.0.0.1', head = '' } = {}) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    const type = 'Content-Type: application/json';
    socket.write(`POST /echo HTTP/1.1\r\nHost: x\r\n${type}\r\n${head}Content-Length: ${announced}\r\n\r\n`);
    socket.write('[1'.padEnd(sent, ' '));
    const answer = { text: null as string | null };
    void text(socket).then(
      (all) => {
        answer.text = all;
      },
      () => {},
    );
    return { socket, answer };
  };
  const closed = ({ answer }: ReturnType<typeof begin>) => eventually(() => answer.text !== null);
  const accepted: Socket[] = [];
  const bytesFrom = ({ localPort }: Socket) =>
    accepted.find(({ remotePort }) => remotePort === localPort)?.bytesRead ?? 0;
  /** Which one is the oldest depends on it. */
  const areRead = (count: number) => eventually(() => bodyReadings.size === count);
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await areRead(0);
  });

  it('from one address: the oldest is given up with 503, another address goes on', async () => {
    const other = begin(15_000, 5_000, { from: '127.0.0.2' });
    await areRead(1);
    const first = begin(15_000, 5_000);
    await areRead(2);
    const second = begin(15_000, 5_000);
    await closed(first);
    assert.match(first.answer.text!, /^HTTP\/1\.1 503 .*connection: close.*"code":"BUSY"/is);
    assert.deepEqual([second.answer.text, other.answer.text], [null, null]);
    for (const one of [second, other]) {
      one.socket.end(']'.padStart(10_000, ' '));
      await closed(one);
      assert.match(one.answer.text!, /^HTTP\/1\.1 200/);
    }
  });

  it('of all: those without a known caller do not take the place of the others', async () => {
    const known = begin(16_000, 100, { from: '127.0.0.9', head: 'X-Known: 1\r\n' });
    const first = begin(16_000, 100, { from: '127.0.0.2' });
    await areRead(2);
    const later = begin(16_000, 100, { from: '127.0.0.3' });
    await areRead(3);
    begin(16_000, 100, { from: '127.0.0.4' });
    await closed(first);
    assert.match(first.answer.text!, /^HTTP\/1\.1 503/);
    assert.deepEqual([later.answer.text, known.answer.text], [null, null]);
  });

  it('408 for one that stands still, not for one that arrives slowly but steadily', async () => {
    const still = begin(9_000, 1_000);
    await areRead(1);
    const steady = begin(9_000, 3_000, { from: '127.0.0.5' });
    await areRead(2);
    // One second of grace, then a thousand bytes a second: after three seconds two thousand must have come.
    steady.socket.write(' '.repeat(3_000));
    await eventually(() => bytesFrom(steady.socket) > 6_000);
    time += 3_000;
    await closed(still);
    assert.match(still.answer.text!, /^HTTP\/1\.1 408 .*the body arrives too slowly/s);
    assert.equal(steady.answer.text, null);
    steady.socket.end(']'.padStart(3_000, ' '));
    await closed(steady);
    assert.match(steady.answer.text!, /^HTTP\/1\.1 200/);
  });
});

describe('bodies that need no account', () => {
  it('are forgotten with their answer, with their client, and not counted once they have arrived', async () => {
    const bodyReadings = new BodyReadings();
    const app = createHttp(createLogger('silent'), async () => null, { bodyReadings });
    const counted: number[] = [];
    const gate = Promise.withResolvers<void>();
    app.addHook('onRequest', async (request) => {
      // Like looking up the caller: the body arrives meanwhile.
      if (request.url === '/later') await eventually(() => request.raw.complete);
    });
    app.addHook('preParsing', (_request, _reply, _payload, done) => {
      counted.push(bodyReadings.size);
      done();
    });
    app.post('/later', async () => ({ done: true }));
    app.post('/refused', { bodyLimit: 10 }, async () => gate.promise);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const post = (path: string, announced: number, body: string) => {
      const socket = connect({ port, host: '127.0.0.1' });
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
      socket.write(`${head}Content-Length: ${announced}\r\n\r\n${body}`);
      return socket;
    };
    try {
      const whole = post('/later', 2, '{}');
      await new Promise((resolve) => whole.once('data', resolve));
      assert.deepEqual(counted.splice(0), [0], 'it has arrived already');
      const large = post('/refused', 1_000, '{');
      await new Promise((resolve) => large.once('data', resolve));
      await eventually(() => counted.length === 1 && bodyReadings.size === 0);
      assert.deepEqual(counted.splice(0), [1]);
      const gone = post('/refused', 9, '{');
      await eventually(() => bodyReadings.size === 1);
      gone.destroy();
      await eventually(() => bodyReadings.size === 0);
      for (const socket of [whole, large]) socket.destroy();
    } finally {
      gate.resolve();
      await app.close();
    }
  });
});

describe('bodies of routes without authentication', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const post = (url: string, size: number, headers: Record<string, string> = {}) =>
    service.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: `{"content":"${'x'.repeat(size)}"}`,
    });

  it('16 KiB, also where there is no route; a message of the widget may be longer', async () => {
    const size = limits.publicBodyBytes;
    for (const url of ['/auth/login', '/auth/password-reset', '/widget/sessions', '/nowhere']) {
      assert.equal((await post(url, size)).statusCode, 413, url);
      assert.notEqual((await post(url, size - 100)).statusCode, 413, url);
    }
    assert.notEqual((await post('/widget/messages', limits.messageLength)).statusCode, 413);
    assert.equal((await post('/widget/messages', 500_000)).statusCode, 413);
    const authorization = `Bearer ${service.token}`;
    assert.equal((await post('/crm/records', 900_000, { authorization })).statusCode, 400);
  });
});
