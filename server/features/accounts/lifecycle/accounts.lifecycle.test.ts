import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { type Json, password, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { enqueue, startJobs } from '../../../platform/jobs/jobs.ts';
import { isActive } from '../../../platform/jobs/suspended.ts';
import { resumeAccount, suspendAccount } from './accounts.lifecycle.ts';

const systemOf = (accountId: string) =>
  ({ kind: 'system', accountId, id: 'system', name: 'Talkboard' }) as const;

describe('a suspended account', () => {
  let connected: Connected;
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let other: Awaited<ReturnType<TestService['createAccount']>> & { email: string };
  const admin = () => ({ token: service.admin.jwt });
  before(async () => {
    connected = await startConnected();
    ({ service } = connected);
    second = await service.startSecond();
    const account = await service.createAccount('Branch');
    const me = await service.call('GET', '/auth/me', { token: account.jwt });
    other = { ...account, email: me.body.user.email };
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const suspend = (id: string, body: object = {}) =>
    service.call('POST', `/admin/accounts/${id}/suspend`, { ...admin(), body });
  const resume = (id: string) => service.call('POST', `/admin/accounts/${id}/resume`, admin());
  const listed = async (id: string): Promise<Json> =>
    (await service.call('GET', '/admin/accounts?limit=100', admin())).body.items.find(
      (one: Json) => one.id === id,
    );

  it('403 for users and tokens in every process, and for sign-in; the others work; resumed, all is back', async () => {
    const suspended = await suspend(other.accountId, { reason: ' unpaid ' });
    assert.equal(suspended.status, 200, suspended.text);
    assert.ok(suspended.body.suspendedAt > 0);
    assert.equal(suspended.body.suspendedReason, 'unpaid');
    assert.equal((await listed(other.accountId)).suspendedReason, 'unpaid');
    for (const token of [other.token, other.jwt]) {
      for (const call of [service.call, second.call]) {
        await eventually(async () => (await call('GET', '/account', { token })).status === 403, 5_000);
        const { body } = await call('GET', '/kanbans', { token });
        assert.equal(body.code, 'ACCOUNT_SUSPENDED');
      }
    }
    const login = () =>
      service.call('POST', '/auth/login', { token: null, body: { email: other.email, password } });
    assert.equal((await login()).body.code, 'ACCOUNT_SUSPENDED');
    const wrong = await service.call('POST', '/auth/login', {
      token: null,
      body: { email: other.email, password: 'not the password' },
    });
    assert.equal(wrong.status, 401, 'who does not know the password learns nothing');
    assert.equal((await service.call('GET', '/account')).status, 200);
    // Again: the reason changes, the time stays.
    const again = await suspend(other.accountId, {});
    assert.deepEqual(
      [again.body.suspendedAt, again.body.suspendedReason],
      [suspended.body.suspendedAt, null],
    );
    assert.deepEqual((await resume(other.accountId)).body, {
      suspendedAt: null,
      suspendedReason: null,
      deletingSince: null,
    });
    for (const token of [other.token, other.jwt]) {
      for (const call of [service.call, second.call]) {
        assert.equal((await call('GET', '/account', { token })).status, 200);
      }
    }
    assert.equal((await login()).status, 200);
    const { items } = (await service.call('GET', '/audit-log', { token: other.token })).body;
    const actions = items.map((one: Json) => one.action).filter((one: string) => one.startsWith('account.'));
    assert.deepEqual(actions.slice(0, 3), ['account.resumed', 'account.suspended', 'account.suspended']);
  });

  it('409 for one’s own account, 404 for an absent one, 403 for others', async () => {
    assert.equal((await suspend(service.admin.accountId)).status, 409);
    assert.equal((await suspend(absentId)).status, 404);
    assert.equal((await resume('x')).status, 404);
    const path = `/admin/accounts/${service.admin.accountId}/suspend`;
    for (const token of [other.jwt, other.token, service.token]) {
      assert.equal((await service.call('POST', path, { token, body: {} })).status, 403);
    }
  });

  it('keeps what a provider delivers, runs no jobs and sends nothing until it is resumed', async () => {
    const { db, logger, clock } = service.context;
    const { accountId } = service.admin;
    const id = await connected.channel();
    const inDb = (rule: typeof suspendAccount | typeof resumeAccount) =>
      db.transaction((tx) =>
        (rule as typeof suspendAccount)(tx, systemOf(accountId), clock.now(), accountId, null),
      );
    await inDb(suspendAccount);
    assert.equal((await connected.deliver(id, [messageOf('66', 1)])).status, 200, 'acknowledged');
    const waiting = () =>
      db.query(sql`select from connector_items where channel_id = ${id} and state = 'waiting'`);
    await eventually(async () => (await waiting()).length === 1, 20_000);
    // A job of an active account goes first, although it is younger.
    const ran: string[] = [];
    await db.transaction(async (tx) => {
      await enqueue(tx, { accountId, kind: 'probe' });
      await enqueue(tx, { accountId: other.accountId, kind: 'probe' });
    });
    const jobs = startJobs({
      db,
      logger,
      handlers: { probe: async (job) => void ran.push(job.accountId) },
    });
    try {
      await eventually(() => ran.length > 0);
      assert.deepEqual(ran, [other.accountId]);
      assert.equal((await waiting()).length, 1);
      await inDb(resumeAccount);
      await eventually(() => ran.length === 2);
    } finally {
      await jobs.stop();
    }
    await connected.settled(id);
    assert.equal((await connected.messages('telegram:66'))[0].content, 'message 1');
  });

  it('is left out where work is claimed', async () => {
    const { db } = service.context;
    const active = async () =>
      (await db.query(sql`select id from accounts where ${isActive(sql`id`)} order by id`)).length;
    const all = await active();
    await suspend(other.accountId);
    assert.equal(await active(), all - 1);
    await resume(other.accountId);
    assert.equal(await active(), all);
  });

  it('403 for the chat on a website', async () => {
    const agents = await service.call('GET', '/agents', { token: other.token });
    const channel = await service.call('POST', '/channels', {
      token: other.token,
      body: {
        name: 'Site',
        identifier: 'branch-site',
        type: 'web',
        defaultAgentId: agents.body.items[0].id,
      },
    });
    assert.equal(channel.status, 201, channel.text);
    const start = () =>
      service.call('POST', '/widget/sessions', { token: null, body: { channel: channel.body.id } });
    const before = await start();
    assert.ok(before.status < 300, before.text);
    await suspend(other.accountId);
    const refused = await start();
    assert.deepEqual([refused.status, refused.body.code], [403, 'ACCOUNT_SUSPENDED']);
    await resume(other.accountId);
    assert.equal((await start()).status, before.status);
  });
});
