import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import websocket from '@fastify/websocket';
import { eventually } from '../../../test/support/eventually.ts';
import { createLogger } from '../logger.ts';
import { type App, createHttp } from './http.ts';

function* largeAnswer(): Generator<Buffer> {
  for (let sent = 0; sent < 64; sent++) yield Buffer.alloc(1024 * 1024);
}

describe('a service that works on as many requests as it can', () => {
  let app: App;
  let base: URL;
  let ran = 0;
  let sentLarge = 0;
  const held: (() => void)[] = [];
  before(async () => {
    app = createHttp(createLogger('silent'), async () => null, {
      loadLimits: { maxRunning: 2, maxQueued: 1, maxAtGate: 0, maxWaitMs: 10_000 },
    });
    app.get('/held', () => new Promise((resolve) => held.push(() => resolve({ done: true }))));
    app.post('/held', () => new Promise((resolve) => held.push(() => resolve({ done: true }))));
    app.get('/quick', async () => ({ ran: ++ran }));
    app.get('/large', async () => {
      sentLarge++;
      return Readable.from(largeAnswer());
    });
    app.get('/refused', async () => ({ ran: 0 }));
    app.get('/health/watch', { config: { neverBusy: true } }, async () => ({ ok: true }));
    // As in the service: it takes over what asks for an upgrade, past the gate.
    await app.register(websocket);
    base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  });
  after(async () => {
    app.server.closeAllConnections();
    await app.close();
  });

  const get = (path: string) => fetch(new URL(path, base));
  const occupy = async () => {
    const answers = [get('/held'), get('/held')];
    await eventually(() => held.length === 2);
    return answers;
  };
  const letGo = async (answers: Promise<Response>[]) => {
    for (const finish of held.splice(0)) finish();
    for (const answer of answers) assert.equal((await answer).status, 200);
  };

  it('lets a few wait; 503 BUSY with Retry-After for one more, which never reaches its handler', async () => {
    const answers = await occupy();
    const waiting = get('/quick');
    await eventually(async () => (await get('/refused')).status === 503);
    const more = await get('/quick');
    assert.equal(more.status, 503);
    assert.equal(more.headers.get('retry-after'), '2');
    const body = (await more.json()) as Record<string, string>;
    assert.deepEqual([body.code, body.message], ['BUSY', 'The service is busy, retry in 2 seconds']);
    assert.equal(body.requestId, more.headers.get('x-request-id'));
    assert.notEqual(body.requestId, (await get('/quick')).headers.get('x-request-id'));
    assert.equal(ran, 0);
    assert.equal((await get('/health/watch')).status, 200);
    await letGo(answers);
    assert.equal((await waiting).status, 200);
    assert.equal((await get('/quick')).status, 200);
  });

  const withGate = async (
    maxWaitMs: number,
    work: (on: {
      statusOf: (path: string) => Promise<number>;
      /** What ends the request that runs, once it does. */
      running: Promise<() => void>;
      /** The body of the slow request is being waited for. */
      reading: Promise<void>;
      port: number;
    }) => unknown,
  ) => {
    const gated = createHttp(createLogger('silent'), async () => null, {
      loadLimits: { maxRunning: 1, maxQueued: 1, maxAtGate: 2, maxWaitMs },
    });
    const running = Promise.withResolvers<() => void>();
    gated.get('/held', () => new Promise((resolve) => running.resolve(() => resolve({ done: true }))));
    gated.post('/slow', async () => ({ done: true }));
    const reading = Promise.withResolvers<void>();
    gated.addHook('preParsing', (request, _reply, _payload, done) => {
      if (request.url === '/slow') reading.resolve();
      done();
    });
    gated.get('/quick', async () => ({ ok: true }));
    const address = await gated.listen({ host: '127.0.0.1', port: 0 });
    try {
      await work({
        statusOf: async (path) => {
          const { status, headers } = await fetch(`${address}${path}`);
          // Also of a rejection at the gate, which no hook has seen.
          assert.deepEqual(
            ['cache-control', 'x-content-type-options'].map((name) => headers.get(name)),
            ['no-store', 'nosniff'],
          );
          return status;
        },
        running: running.promise,
        reading: reading.promise,
        port: Number(new URL(address).port),
      });
    } finally {
      gated.server.closeAllConnections();
      await gated.close();
    }
  };

  it('503 BUSY for those that have waited too long, and others are served again', () =>
    withGate(100, async ({ statusOf, running }) => {
      const first = statusOf('/held');
      const finish = await running;
      assert.equal(await statusOf('/quick'), 503);
      finish();
      assert.equal(await first, 200);
      assert.equal(await statusOf('/quick'), 200);
    }));

  it('serves those at the gate as soon as there is room, and rejects one beyond at once', () =>
    withGate(60_000, async ({ statusOf, running }) => {
      const first = statusOf('/held');
      const finish = await running;
      const more = [1, 2, 3, 4].map(() => statusOf('/quick'));
      assert.equal(await Promise.race(more), 503);
      finish();
      assert.equal(await first, 200);
      assert.deepEqual((await Promise.all(more)).sort(), [200, 200, 200, 503]);
    }));

  it('is not filled by clients that send their bodies slowly', () =>
    withGate(60_000, async ({ statusOf, reading, port }) => {
      const slow = connect(port, '127.0.0.1').on('error', () => {});
      slow.write(
        'POST /slow HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{',
      );
      await reading;
      assert.equal(await statusOf('/quick'), 200);
      slow.destroy();
    }));

  it('takes others again when clients have gone before their answer', async () => {
    const aborted = new AbortController();
    const gone = [1, 2].map(() =>
      fetch(new URL('/held', base), { signal: aborted.signal }).catch(() => null),
    );
    await eventually(() => held.length === 2);
    const waiting = get('/quick');
    aborted.abort();
    await Promise.all(gone);
    assert.equal((await waiting).status, 200);
    for (const finish of held.splice(0)) finish();
  });

  it('is not filled by clients that read their answers slowly', async () => {
    const slow = [1, 2, 3].map(() => {
      const socket = connect(Number(base.port), base.hostname);
      socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
      socket.pause();
      return socket.on('error', () => {});
    });
    await eventually(() => sentLarge === slow.length);
    assert.equal((await get('/quick')).status, 200);
    for (const socket of slow) socket.destroy();
  });

  it('is not entered past the limit by a header that asks for an upgrade', async () => {
    const answers = [1, 2].map(() => get('/held'));
    await eventually(() => held.length === 2);
    const waiting = get('/quick');
    await eventually(async () => (await get('/quick')).status === 503);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(new URL('/quick', base), { headers: { connection: 'Upgrade', upgrade: 'x' } }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end();
    });
    assert.equal(status, 503);
    await letGo(answers);
    assert.equal((await waiting).status, 200);
  });
});

describe('the time that a request has waited', () => {
  /** One runs and one is queued; a third one waits at the gate. All arrive at 0 of a clock that stands still. */
  const withClock = async (
    work: (on: {
      setTime: (ms: number) => void;
      /** Ends the oldest one that runs. */
      finish: () => void;
      /** The paths of the requests that passed the gate. */
      entered: string[];
      /** How many have begun to run. */
      began: () => number;
      answers: Promise<number>[];
    }) => Promise<unknown>,
  ) => {
    let time = 0;
    let began = 0;
    const entered: string[] = [];
    const held: (() => void)[] = [];
    const app = createHttp(createLogger('silent'), async () => null, {
      loadLimits: { maxRunning: 1, maxQueued: 1, maxAtGate: 1, maxWaitMs: 1_000, now: () => time },
    });
    app.addHook('onRequest', (request, _reply, done) => {
      entered.push(request.url);
      done();
    });
    app.get('/:name', () => {
      began++;
      return new Promise((resolve) => held.push(() => resolve({ done: true })));
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const statusOf = async (path: string) => (await fetch(`${address}${path}`)).status;
    try {
      const answers = [statusOf('/first')];
      await eventually(() => began === 1);
      answers.push(statusOf('/second'));
      await eventually(() => entered.length === 2);
      // Of these two one waits at the gate, and the other one is rejected: then both have arrived.
      const atGate = [statusOf('/third'), statusOf('/third')];
      assert.equal(await Promise.race(atGate), 503);
      answers.push(Promise.all(atGate).then((statuses) => Math.min(...statuses)));
      await work({
        setTime: (ms) => {
          time = ms;
        },
        finish: () => held.shift()!(),
        entered,
        began: () => began,
        answers,
      });
    } finally {
      app.server.closeAllConnections();
      await app.close();
    }
  };

  it('counts from its arrival: what it waited at the gate is not forgotten in the queue', () =>
    withClock(async ({ setTime, finish, entered, began, answers }) => {
      setTime(600);
      finish();
      await eventually(() => began() === 2 && entered.length === 3);
      setTime(1_100);
      assert.equal(await answers[2], 503);
      finish();
      assert.deepEqual(await Promise.all(answers), [200, 200, 503]);
      assert.equal(began(), 2);
    }));

  it('keeps one out that would be answered too late, until there is less to do', () =>
    withClock(async ({ setTime, finish, entered, began, answers }) => {
      setTime(800);
      finish();
      assert.equal(await answers[0], 200);
      await eventually(() => began() === 2);
      assert.deepEqual(entered, ['/first', '/second']);
      finish();
      await eventually(() => began() === 3);
      finish();
      assert.deepEqual(await Promise.all(answers), [200, 200, 200]);
    }));

  it('ends with a rejection, at the latest after twice the longest wait', () =>
    withClock(async ({ setTime, finish, entered, answers }) => {
      setTime(2_000);
      assert.deepEqual(await Promise.all(answers.slice(1)), [503, 503]);
      finish();
      assert.equal(await answers[0], 200);
      assert.deepEqual(entered, ['/first', '/second']);
    }));

  it('also ends while an app without a listener stops, as that of a cell', async () => {
    let time = 0;
    let arrived = 0;
    let entered = 0;
    const held: (() => void)[] = [];
    const app = createHttp(createLogger('silent'), async () => null, {
      loadLimits: { maxRunning: 1, maxQueued: 1, maxAtGate: 10, maxWaitMs: 1_000, now: () => time },
    });
    app.addHook('onRequest', (_request, _reply, done) => {
      entered++;
      done();
    });
    app.get('/held', () => new Promise((resolve) => held.push(() => resolve({ done: true }))));
    await app.ready();
    const front = createServer((request, response) => {
      arrived++;
      app.server.emit('request', request, response);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = front.address() as AddressInfo;
      const statusOf = async () => (await fetch(`http://127.0.0.1:${port}/held`)).status;
      const running = statusOf();
      await eventually(() => held.length === 1);
      const others = [statusOf()];
      await eventually(() => entered === 2);
      others.push(statusOf());
      await eventually(() => arrived === 3);
      await app.close();
      time = 2_000;
      assert.deepEqual(await Promise.all(others), [503, 503]);
      held[0]!();
      assert.equal(await running, 200);
    } finally {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
    }
  });
});
