import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { sql } from '../../../platform/db/sql.ts';
import { startWorker } from '../../../worker.ts';
import { ProviderError } from '../connectors.provider.ts';

let connected: Connected;
before(async () => {
  connected = await startConnected();
});
after(() => connected.service.close());

const contents = async (sessionId: string) =>
  (await connected.messages(sessionId)).filter((one) => one.role === 'user').map((one) => one.content);

describe('polling', () => {
  it('begins where the provider was when it was connected, and goes on from there when it is connected again', async () => {
    const { service, scripted, channel } = connected;
    const asked: (string | null)[] = [];
    scripted.onPoll = async (_link, cursor) => void asked.push(cursor);
    scripted.connected = { state: 'connected', cursor: '1' };
    scripted.updates = [[messageOf('b', 1)], [messageOf('b', 2)]];
    try {
      const id = await channel({ mode: 'polling' });
      await eventually(async () => (await contents('telegram:b')).length === 1);
      assert.deepEqual(await contents('telegram:b'), ['message 2']);
      assert.equal(asked[0], '1');
      await service.call('POST', `/channels/${id}/connector/connect`);
      scripted.updates.push([messageOf('b', 3)]);
      await eventually(async () => (await contents('telegram:b')).length === 2);
      assert.ok(!asked.slice(asked.lastIndexOf('1') + 1).includes('1'));
      await service.call('PATCH', `/channels/${id}`, { body: { connector: null } });
    } finally {
      scripted.connected = { state: 'connected' };
    }
  });

  it('stores each batch with its cursor, stops while disabled and goes on where it was', async () => {
    const { service, scripted, channel, settled } = connected;
    const asked: (string | null)[] = [];
    scripted.onPoll = async (_link, cursor) => void asked.push(cursor);
    scripted.updates = [[messageOf('p', 1)], [messageOf('p', 2), messageOf('p', 1)]];
    const id = await channel({ mode: 'polling' });
    await eventually(async () => (await contents('telegram:p')).length === 2);
    await service.call('PATCH', `/channels/${id}`, { body: { enabled: false } });
    scripted.updates.push([messageOf('p', 3)]);
    await settled(id);
    assert.deepEqual(await contents('telegram:p'), ['message 1', 'message 2']);
    await service.call('PATCH', `/channels/${id}`, { body: { enabled: true } });
    await eventually(async () => (await contents('telegram:p')).length === 3);
    assert.ok(!asked.slice(asked.lastIndexOf('1') + 1).includes('1'));
    await service.call('PATCH', `/channels/${id}`, { body: { connector: null } });
  });

  it('is taken over from a process that died, without its cursor being lost', async () => {
    const { service, scripted, channel } = connected;
    scripted.updates = [[messageOf('t', 1)]];
    const id = await channel({ mode: 'polling' });
    await eventually(async () => (await contents('telegram:t')).length === 1);
    const { db } = service.context;
    // As after kill -9 of a process that held it: its row is not renewed any more.
    const dead = '00000000-0000-7000-8000-00000000dead';
    await db.transaction(async (tx) => {
      await tx.query(sql`insert into processes (id, alive_until) values (${dead}, now())`);
      await tx.query(sql`update connectors set poller = ${dead} where channel_id = ${id}`);
    });
    scripted.updates.push([messageOf('t', 2)]);
    await eventually(async () => (await contents('telegram:t')).length === 2);
    const [row] = await db.query<{ poller: string; poll_cursor: string }>(
      sql`select poller, poll_cursor from connectors where channel_id = ${id}`,
    );
    assert.notEqual(row!.poller, dead);
    assert.equal(row!.poll_cursor, '2');
    await service.call('PATCH', `/channels/${id}`, { body: { connector: null } });
  });

  it('is done by one of two processes', async () => {
    const { service, scripted, channel } = connected;
    const second = await startWorker({ ...service.context, db: { ...service.context.db } });
    try {
      let at = 0;
      let most = 0;
      scripted.onPoll = async () => {
        most = Math.max(most, ++at);
        await new Promise((resolve) => setImmediate(resolve));
        at--;
      };
      scripted.updates = Array.from({ length: 20 }, (_, index) => [messageOf('two', index + 1)]);
      const id = await channel({ mode: 'polling' });
      await eventually(async () => (await contents('telegram:two')).length === 20, 30_000);
      assert.equal(most, 1);
      await service.call('PATCH', `/channels/${id}`, { body: { connector: null } });
    } finally {
      await second.stop();
    }
  });

  it('shows why it keeps failing, and no longer once it works', async () => {
    const { scripted, channel, connector } = connected;
    scripted.updates = [];
    scripted.onPoll = async () => {
      throw new ProviderError('retry', `Another program polls ${scripted.validToken}.`, 1);
    };
    const id = await channel({ mode: 'polling' });
    await eventually(async () => (await connector(id)).lastError === 'Another program polls ….');
    assert.equal((await connector(id)).state, 'connected');
    scripted.onPoll = async () => {};
    await eventually(async () => (await connector(id)).lastError === null);
    await connected.service.call('PATCH', `/channels/${id}`, { body: { connector: null } });
  });

  it('ends with an error when the credentials are rejected, and goes on with new ones', async () => {
    const { service, scripted, channel, state } = connected;
    scripted.updates = [];
    scripted.onPoll = async () => {};
    const id = await channel({ mode: 'polling' });
    scripted.onPoll = async () => {
      throw new ProviderError('credentials', 'The token was revoked.');
    };
    await state(id, 'error');
    scripted.onPoll = async () => {};
    scripted.updates = [[messageOf('c', 1)]];
    const connector = { credentials: { botToken: scripted.validToken } };
    await service.call('PATCH', `/channels/${id}`, { body: { connector } });
    await eventually(async () => (await contents('telegram:c')).length === 1);
  });
});
