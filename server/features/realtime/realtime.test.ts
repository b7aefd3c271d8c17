import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { liveCloseCodes } from '../../../contract/realtime.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  connectLive,
  LiveClient,
  listen,
  ownOrigin,
  refusal,
  ticketFor,
} from '../../../test/support/live.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('live connections', () => {
  let service: TestService;
  let talk: Conversations;
  let url: string;
  const clients: LiveClient[] = [];
  before(async () => {
    service = await startTestService({ env: { ALLOWED_ORIGINS: 'https://desk.example.com' } });
    talk = conversationsOf(service);
    url = await listen(service.app);
  });
  after(async () => {
    for (const client of clients) await client.end();
    await service?.close();
  });

  const connect = async (jwt = service.admin.jwt) => {
    const client = await connectLive(url, service.call, jwt);
    clients.push(client);
    return client;
  };
  const ticket = () => ticketFor(service.call, service.admin.jwt);
  const metric = async (name: string): Promise<number> => {
    const { text } = await service.call('GET', '/metrics');
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  describe('tickets', () => {
    it('let in once: the second use, and one that was never issued, are 401 and counted', async () => {
      const before = await metric('talkboard_live_refused_total{reason="ticket"}');
      const used = await ticket();
      const client = new LiveClient(url, used, null);
      clients.push(client);
      await once(client.socket, 'open');
      assert.equal(await refusal(`${url}?ticket=${used}`), 401);
      assert.equal(await refusal(`${url}?ticket=${'x'.repeat(43)}`), 401);
      assert.equal(await refusal(url), 401);
      assert.equal(await metric('talkboard_live_refused_total{reason="ticket"}'), before + 3);
    });

    it('of ten uses at once, over two processes, one is let in', async () => {
      const second = await service.startSecond();
      try {
        const urls = [url, await listen(second.app)];
        const stolen = await ticket();
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, index) => refusal(`${urls[index % 2]}?ticket=${stolen}`)),
        );
        assert.deepEqual(answers.toSorted(), [101, ...Array(9).fill(401)]);
      } finally {
        await second.close();
      }
    });

    it('end after 30 seconds', async () => {
      const late = await ticket();
      const { context } = service;
      const [row] = await context.db.query<{ seconds: number }>(sql`
        select extract(epoch from max(expires_at) - now())::int as seconds from live_tickets`);
      assert.ok(row!.seconds > 25 && row!.seconds <= 30, String(row!.seconds));
      await context.db.transaction((tx) =>
        tx.query(sql`update live_tickets set expires_at = expires_at - interval '30 seconds'`),
      );
      assert.equal(await refusal(`${url}?ticket=${late}`), 401);
    });

    it('of someone who has signed out meanwhile are worth nothing', async () => {
      const user = await service.createUser('operator');
      const orphan = await ticketFor(service.call, user.jwt);
      await service.call('DELETE', `/users/${user.id}`, { token: service.admin.jwt });
      assert.equal(await refusal(`${url}?ticket=${orphan}`), 401);
    });

    it('are not kept as they are', async () => {
      const secret = await ticket();
      const rows = await service.context.db.query<{ text: string }>(
        sql`select t::text as text from live_tickets t`,
      );
      assert.ok(rows.length > 0 && rows.every((row) => !row.text.includes(secret)));
    });
  });

  describe('Origin', () => {
    it('another one is 403, and its ticket is used up', async () => {
      for (const origin of [
        'https://evil.example',
        'http://127.0.0.1:3001',
        'https://127.0.0.1:3000',
        'null',
      ]) {
        const stolen = await ticket();
        assert.equal(await refusal(`${url}?ticket=${stolen}`, { origin }), 403, origin);
        assert.equal(await refusal(`${url}?ticket=${stolen}`), 401, origin);
      }
    });

    it('our own, its other loopback names, the configured ones and none at all are let in', async () => {
      for (const origin of [
        ownOrigin,
        'http://localhost:3000',
        'http://[::1]:3000',
        'https://desk.example.com',
        undefined,
      ]) {
        assert.equal(await refusal(`${url}?ticket=${await ticket()}`, { origin }), 101, origin);
      }
    });
  });

  it('426 for a request that is not a WebSocket', async () => {
    const answer = await service.call('GET', '/ws');
    assert.equal(answer.status, 426);
    assert.equal(answer.body.code, 'UPGRADE_REQUIRED');
  });

  describe('what clients may not do', () => {
    it('1 MiB in a frame: cut with 1009', async () => {
      const client = await connect();
      client.socket.send('x'.repeat(1024 * 1024));
      assert.equal(await client.closed(), 1009);
    });

    it('something else than the protocol: 4400; bytes: 1003', async () => {
      for (const text of [
        'hello',
        '[]',
        'null',
        '{"type":"nonsense"}',
        '{"type":"resume","seq":-1,"epoch":"x"}',
      ]) {
        const client = await connect();
        client.socket.send(text);
        assert.equal(await client.closed(), 4400, text);
      }
      const client = await connect();
      client.socket.send(Buffer.from('{"type":"ping"}'), { binary: true });
      assert.equal(await client.closed(), 1003);
    });

    it('a flood: 4429, while others are served', async () => {
      const [flooding, calm] = [await connect(), await connect()];
      for (let i = 0; i < 1_000; i++) flooding.say({ type: 'ping' });
      assert.equal(await flooding.closed(), 4429);
      const sessionId = unique('calm');
      await talk.accepted({ sessionId });
      await calm.next('message.created', (data) => data.sessionId === sessionId);
      assert.equal(calm.closeCode, null);
    });

    it('more than 20 connections of one user: 429', async () => {
      const user = await service.createUser('operator');
      const many: LiveClient[] = [];
      for (let i = 0; i < 20; i++) many.push(await connect(user.jwt));
      const { jwt } = user;
      assert.equal(await refusal(`${url}?ticket=${await ticketFor(service.call, jwt)}`), 429);
      await many[0]!.end();
      await eventually(
        async () => (await refusal(`${url}?ticket=${await ticketFor(service.call, jwt)}`)) === 101,
      );
    });

    it('reading too slowly: closed before much waits in memory, others go on', async () => {
      const reader = await connect();
      const port = Number(new URL(url).port);
      const socket = createConnection(port, '127.0.0.1');
      socket.on('error', () => {});
      const key = Buffer.from('0123456789abcdef').toString('base64');
      socket.write(
        `GET /ws?ticket=${await ticket()} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nOrigin: ${ownOrigin}\r\n\r\n`,
      );
      await once(socket, 'data');
      // A ping of the protocol, masked with zeros: the connection starts, and nobody reads from here on.
      const text = Buffer.from('{"type":"ping"}');
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
      await once(socket, 'data');
      socket.pause();
      const slow = 'talkboard_live_closed_total{reason="slow"}';
      const before = await metric(slow);
      const content = 'x'.repeat(60_000);
      let sent = 0;
      await eventually(async () => {
        for (let i = 0; i < 10; i++, sent++) await talk.accepted({ sessionId: 'slow', content });
        return (await metric(slow)) > before;
      }, 30_000);
      assert.ok(sent < 400, `only after ${sent}`);
      await eventually(
        () => reader.of('message.created').filter((frame) => frame.data.sessionId === 'slow').length === sent,
      );
      assert.equal(reader.gaps, 0);
      socket.destroy();
    });
  });

  describe('who may stay', () => {
    const cutOff = async (client: LiveClient, change: () => Promise<unknown>) => {
      await change();
      assert.equal(await client.closed(), 4401);
    };

    it('a deleted user is cut off', async () => {
      const user = await service.createUser('operator');
      const client = await connect(user.jwt);
      await cutOff(client, () => service.call('DELETE', `/users/${user.id}`, { token: service.admin.jwt }));
    });

    it('one whose role has changed, too', async () => {
      const user = await service.createUser('admin');
      const client = await connect(user.jwt);
      await cutOff(client, () =>
        service.call('PATCH', `/users/${user.id}`, { token: service.admin.jwt, body: { role: 'operator' } }),
      );
    });

    it('and one who has signed out everywhere by a new password', async () => {
      const user = await service.createUser('operator');
      const client = await connect(user.jwt);
      await cutOff(client, () =>
        service.context.db.transaction((tx) =>
          tx.query(
            sql`delete from user_sessions where account_id = ${service.admin.accountId} and user_id = ${user.id}`,
          ),
        ),
      );
    });
  });

  describe('what an operator sees', () => {
    it('nothing of a closed board; a conversation that moves there leaves; access holds from the change on', async () => {
      const operator = await service.createUser('operator');
      const closed = await talk.kanban();
      const put = (userIds: string[]) =>
        talk.expect(200, service.call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds } }));
      await put([service.admin.userId]);
      const [client, admin] = [await connect(operator.jwt), await connect()];
      const secret = await talk.expect(
        201,
        service.call('POST', `/crm/records?kanbanId=${closed.id}`, { body: { title: 'Secret' } }),
      );
      const sessionId = unique('moving');
      await talk.accepted({ sessionId });
      await client.next('session.created', ({ session }) => session.sessionId === sessionId);
      await talk.accepted({ sessionId, kanbanId: closed.id, content: 'over there' });
      await client.next('session.removed', (data) => data.sessionId === sessionId);
      await admin.next('message.created', ({ message }) => message.content === 'over there');
      await put([service.admin.userId, operator.id]);
      const open = await talk.expect(
        201,
        service.call('POST', `/crm/records?kanbanId=${closed.id}`, { body: { title: 'Open' } }),
      );
      await client.next('record.created', ({ record }) => record.recordId === open.recordId);
      await put([service.admin.userId]);
      const again = await talk.expect(
        201,
        service.call('POST', `/crm/records?kanbanId=${closed.id}`, { body: { title: 'Again' } }),
      );
      const last = await talk.expect(201, service.call('POST', '/crm/records', { body: { title: 'Last' } }));
      await client.next('record.created', ({ record }) => record.recordId === last.recordId);
      const heard = JSON.stringify(client.frames);
      for (const hidden of [secret.recordId, again.recordId, 'over there'])
        assert.ok(!heard.includes(hidden), hidden);
      assert.equal(client.gaps, 0);
    });
  });

  describe('what a role of the account lets a person see', () => {
    it('records without conversations; a change of the role ends the connection', async () => {
      const asAdmin = (method: string, path: string, body: object) =>
        service.call(method, path, { token: service.admin.jwt, body });
      const role = await talk.expect(
        201,
        asAdmin('POST', '/roles', { name: unique('role'), permissions: ['records.view'] }),
      );
      const user = await service.createUser('operator');
      await talk.expect(200, asAdmin('PATCH', `/users/${user.id}`, { roleId: role.id }));
      const client = await connect(user.jwt);
      const sessionId = unique('unseen');
      await talk.accepted({ sessionId, content: 'not for them' });
      const last = await talk.expect(201, service.call('POST', '/crm/records', { body: { title: 'Last' } }));
      await client.next('record.created', ({ record }) => record.recordId === last.recordId);
      assert.ok(!client.frames.some(({ type }) => /^(message|session)\./.test(type)));
      assert.equal(client.gaps, 0);
      await talk.expect(200, asAdmin('PATCH', `/roles/${role.id}`, { permissions: ['conversations.view'] }));
      await eventually(() => client.closeCode === liveCloseCodes.revoked);
      assert.deepEqual(client.of('hello')[0].data.permissions, ['records.view']);
      const next = await connect(user.jwt);
      assert.deepEqual(next.of('hello')[0].data.permissions, ['conversations.view']);
    });
  });

  describe('typing and presence', () => {
    it('are told to colleagues who may see it, in another process too, and to nobody else', async () => {
      const second = await service.startSecond();
      const there = await listen(second.app);
      const operator = await service.createUser('operator');
      const far = await connectLive(there, second.call, operator.jwt);
      const other = await service.createAccount();
      const stranger = await connectLive(there, second.call, other.jwt);
      try {
        const near = await connect();
        const sessionId = unique('seen');
        await talk.accepted({ sessionId });
        far.say({ type: 'viewing', sessionId });
        const both = await near.next('presence', (data) => data.sessionId === sessionId);
        assert.deepEqual(
          both.people.map((one: { id: string }) => one.id),
          [operator.id],
        );
        // Also whoever connects later.
        const late = await (await connect()).next('presence', (data) => data.sessionId === sessionId);
        assert.deepEqual(late, both);
        near.say({ type: 'typing', sessionId, isTyping: true });
        const { person } = await far.next('typing', (data) => data.sessionId === sessionId && data.isTyping);
        assert.equal(person.id, service.admin.userId);
        assert.equal(near.of('typing').length, 0);
        await far.end();
        await near.next('presence', (data) => data.sessionId === sessionId && data.people.length === 0);
        assert.equal(stranger.frames.filter((frame) => frame.seq === null).length, 0);
      } finally {
        await far.end();
        await stranger.end();
        await second.close();
      }
    });

    it('what is another account’s cannot be looked at, nor written in', async () => {
      const other = await service.createAccount();
      const sessionId = unique('ours');
      await talk.accepted({ sessionId });
      const [stranger, client] = [await connect(other.jwt), await connect()];
      stranger.say({ type: 'viewing', sessionId });
      stranger.say({ type: 'typing', sessionId, isTyping: true });
      client.say({ type: 'viewing', sessionId });
      const { people } = await client.next('presence', (data) => data.sessionId === sessionId);
      assert.equal(people.length, 1);
      assert.equal(client.of('typing').length, 0);
    });
  });

  it('a service that stops says so: 1001', async () => {
    const second = await service.startSecond();
    const client = await connectLive(await listen(second.app), second.call, service.admin.jwt);
    await second.close();
    assert.equal(await client.closed(), 1001);
  });
});
