/**
 * Nothing of a deleted account is left in any table of the database's catalogue, nor in the file store; nothing of others
 * is missing.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesFolder, type Place, plantPerson, tablesWith } from '../../../../test/support/planted-person.ts';
import { password, startTestService, type TestService } from '../../../../test/support/service.ts';
import { Sql, sql } from '../../../platform/db/sql.ts';
import { startJobs } from '../../../platform/jobs/jobs.ts';
import { accountDeletionJobKind } from '../../accounts/accounts.ts';
import { accountDeletionHandler } from './account-deletion.jobs.ts';
import { selectTablesOfAccounts } from './account-deletion.sql.ts';

const marker = `gone${randomBytes(6).toString('hex')}`;
const ids = { phone: '5511977770011', external: '52', chatbot: '87' };
const othersIds = { phone: '5511977770012', external: '53', chatbot: '88' };

describe('a deleted account', () => {
  let service: TestService;
  let deleted: Awaited<ReturnType<TestService['createAccount']>> & { email: string };
  before(async () => {
    service = await startTestService();
    const account = await service.createAccount('To be deleted');
    const { user } = (await service.call('GET', '/auth/me', { token: account.jwt })).body;
    deleted = { ...account, email: user.email };
    await plantPerson(await placeIn(service, account.token, account.accountId, user.id), marker, ids, {
      ids: othersIds,
    });
  });
  after(() => service.close());

  const rowsOf = async (accountId: string): Promise<Record<string, number>> => {
    const { db } = service.context;
    const found: Record<string, number> = {};
    for (const table of await selectTablesOfAccounts(db)) {
      const [row] = await db.query<{ n: number }>(
        sql`select count(*)::int as n from ${new Sql([table], [])} where account_id = ${accountId}`,
      );
      if (row!.n > 0) found[table] = row!.n;
    }
    return found;
  };
  const remove = (name: string) =>
    service.call('DELETE', `/admin/accounts/${deleted.accountId}?name=${encodeURIComponent(name)}`, {
      token: service.admin.jwt,
    });
  const listed = async () =>
    (await service.call('GET', '/admin/accounts?limit=100', { token: service.admin.jwt })).body.items;

  it('400 unless the name is that of the account; 409 for one’s own', async () => {
    assert.equal((await remove('to be deleted')).status, 400);
    const own = `/admin/accounts/${service.admin.accountId}?name=x`;
    assert.equal((await service.call('DELETE', own, { token: service.admin.jwt })).status, 409);
    assert.equal((await service.call('GET', '/account', { token: deleted.token })).status, 200);
  });

  it('is in no table and no file any more, and is listed no longer; its address is free', async () => {
    const { context } = service;
    const before = await rowsOf(deleted.accountId);
    assert.ok(Object.keys(before).length > 50, Object.keys(before).join());
    const own = await rowsOf(service.admin.accountId);
    const { status, body } = await remove('To be deleted');
    assert.equal(status, 202);
    assert.ok(body.deletingSince > 0 && body.suspendedAt > 0);
    assert.deepEqual((await remove('To be deleted')).body, body, 'again: the same');
    assert.equal((await service.call('GET', '/account', { token: deleted.token })).status, 403);
    const resumed = await service.call('POST', `/admin/accounts/${deleted.accountId}/resume`, {
      token: service.admin.jwt,
    });
    assert.equal(resumed.status, 409, 'there is no way back');
    const { db, logger } = context;
    const handlers = { [accountDeletionJobKind]: accountDeletionHandler(context) };
    const jobs = startJobs({ db, logger, handlers });
    try {
      await eventually(
        async () =>
          (await db.query(sql`select from jobs where kind = ${accountDeletionJobKind}`)).length === 0,
        60_000,
      );
    } finally {
      await jobs.stop();
    }
    assert.deepEqual(await rowsOf(deleted.accountId), {});
    assert.deepEqual(await tablesWith(context, marker), {});
    assert.deepEqual(await tablesWith(context, deleted.accountId), { audit_log: 2 }, 'who deleted it');
    const files = readdirSync(filesFolder(context), { recursive: true }).map(String);
    assert.deepEqual(
      files.filter((path) => path.startsWith(`${deleted.accountId}/`) && /[0-9a-f-]{36}$/.test(path)),
      [],
    );
    assert.ok(!(await listed()).some((one: { id: string }) => one.id === deleted.accountId));
    assert.equal((await service.call('GET', '/account', { token: deleted.token })).status, 401);
    const created = await service.call('POST', '/admin/accounts', {
      token: service.admin.jwt,
      body: { name: 'Next', adminEmail: deleted.email, adminPassword: password },
    });
    assert.equal(created.status, 201, created.text);
    const { audit_log: _log, ...rest } = own;
    const now = await rowsOf(service.admin.accountId);
    for (const [table, count] of Object.entries(rest)) {
      if (!table.startsWith('rate_limit')) assert.ok((now[table] ?? 0) >= count, table);
    }
  });

  it('is not touched by a job that nobody requested', async () => {
    const { context } = service;
    const kept = await service.createAccount('Kept');
    const handler = accountDeletionHandler(context);
    const job = { payload: { accountId: kept.accountId }, isStopping: () => false, keep: async () => {} };
    await handler(job as unknown as Parameters<typeof handler>[0]);
    assert.equal((await service.call('GET', '/account', { token: kept.token })).status, 200);
  });
});

async function placeIn(
  service: TestService,
  token: string,
  accountId: string,
  userId: string,
): Promise<Place> {
  const { expect } = conversationsOf(service);
  const as = (method: string, path: string, body?: object) =>
    service.call(method, path, { token, ...(body && { body }) });
  const board = (await expect(200, as('GET', '/kanbans'))).items[0];
  const channels = await expect(200, as('GET', '/channels'));
  const channel = channels.items.find((one: { type: string }) => one.type === 'api');
  const hook = { url: 'https://example.com/hook', events: ['note_created'] };
  const webhook = await expect(201, as('POST', '/webhooks', hook));
  await expect(201, as('POST', '/webhook-inbox'));
  return {
    context: service.context,
    accountId,
    userId,
    kanbanId: board.id,
    channelId: channel.id,
    agentId: channel.defaultAgentId,
    webhookId: webhook.id,
  };
}
