/** A stranger opens sockets endlessly: the service keeps a few of them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { visitorsOf } from '../../../test/support/visitors.ts';

const tooMany = 4423;

describe("the widget's connections", () => {
  let service: TestService;
  let base: string;
  let visitors: ReturnType<typeof visitorsOf>;
  const sockets: WebSocket[] = [];
  before(async () => {
    service = await startTestService();
    base = await service.app.listen({ port: 0, host: '127.0.0.1' });
    visitors = visitorsOf(base);
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    await service.close();
  });

  const connect = async (token?: string) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/widget/live`);
    sockets.push(socket);
    const seen = { code: 0, hello: false };
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).type === 'hello') seen.hello = true;
    });
    socket.on('close', (code) => {
      seen.code = code;
    });
    socket.on('error', () => {});
    await once(socket, 'open');
    if (token) socket.send(JSON.stringify({ type: 'hello', token, position: 0, since: 0 }));
    const settled = async () => {
      await eventually(() => seen.hello || seen.code !== 0);
      return seen.hello ? 'live' : seen.code;
    };
    return { socket, seen, settled };
  };
  const refused = async (): Promise<number> => {
    const { text } = await service.call('GET', '/metrics');
    return Number(/talkboard_widget_refused_total\{reason="connections"\} (\d+)/.exec(text)?.[1] ?? 0);
  };

  it('an address keeps 20 without a token; the next is closed with 4423 until one of them leaves or signs in', async () => {
    const silent = await Promise.all(Array.from({ length: 20 }, () => connect()));
    const before = await refused();
    const extra = await connect();
    await eventually(() => extra.seen.code !== 0);
    assert.equal(extra.seen.code, tooMany);
    assert.equal(await refused(), before + 1);
    assert.ok(silent.every(({ seen }) => seen.code === 0));

    const token = await visitors.visit('web');
    silent[0]!.socket.send(JSON.stringify({ type: 'hello', token, position: 0, since: 0 }));
    assert.equal(await silent[0]!.settled(), 'live');
    silent[1]!.socket.terminate();
    await eventually(async () => (await (await connect(token)).settled()) === 'live');
    for (const { socket } of silent) socket.terminate();
  });

  it('a visitor keeps 5 connections, also when 12 connect at once; closing one frees its place', async () => {
    await eventually(async () => (await (await connect(await visitors.visit('web'))).settled()) === 'live');
    const [token, other] = [await visitors.visit('web'), await visitors.visit('web')];
    const all = await Promise.all(Array.from({ length: 12 }, () => connect(token)));
    const states = await Promise.all(all.map(({ settled }) => settled()));
    assert.equal(states.filter((state) => state === 'live').length, 5);
    assert.equal(states.filter((state) => state === tooMany).length, 7);
    assert.equal(await (await connect(other)).settled(), 'live');
    all[states.indexOf('live')]!.socket.close();
    await eventually(async () => (await (await connect(token)).settled()) === 'live');
    assert.equal(await (await connect(token)).settled(), tooMany);
  });
});

describe("the widget's connections of one address and one account", () => {
  it('are limited by settings, and given back', async () => {
    const service = await startTestService({
      env: { WIDGET_SOCKETS_PER_ADDRESS: '4', WIDGET_SOCKETS_PER_ACCOUNT: '2' },
    });
    const base = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const visitors = visitorsOf(base);
    const sockets: WebSocket[] = [];
    const codeOf = async (token: string): Promise<string | number> => {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/widget/live`);
      sockets.push(socket);
      const ended = once(socket, 'close').then(([code]) => code as number);
      socket.on('error', () => {});
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'hello', token, position: 0, since: 0 }));
      return Promise.race([once(socket, 'message').then(() => 'live'), ended]);
    };
    try {
      const tokens = await Promise.all(Array.from({ length: 4 }, () => visitors.visit('web')));
      assert.deepEqual([await codeOf(tokens[0]!), await codeOf(tokens[1]!)], ['live', 'live']);
      assert.equal(await codeOf(tokens[2]!), tooMany, 'the account has two');
      sockets[0]!.terminate();
      await eventually(async () => (await codeOf(tokens[3]!)) === 'live');
      // Of the address: two are live, two more may wait for their token.
      const silent = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const socket = new WebSocket(`${base.replace('http', 'ws')}/widget/live`);
          sockets.push(socket);
          const ended = once(socket, 'close').then(([code]) => code as number);
          await once(socket, 'open');
          return { socket, ended };
        }),
      );
      assert.equal(await Promise.race(silent.map(({ ended }) => ended)), tooMany);
    } finally {
      for (const socket of sockets) socket.terminate();
      await service.close();
    }
  });
});
