/** Logins, exports, imports and deletions of records in the audit log, with the client address. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createKanban, createRecord } from '../../../test/support/crm.ts';
import { type Json, joinTestService, password, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const address = '127.0.0.1';

describe('the audit log', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const login = (email: string, secret: string) =>
    service.call('POST', '/auth/login', { token: null, body: { email, password: secret } });
  const entries = async (query: string): Promise<Json[]> =>
    (await service.call('GET', `/audit-log?limit=100&${query}`, { token: service.admin.jwt })).body.items;

  it('has logins and failed logins of known addresses, in their own account, with the address', async () => {
    const user = await service.createUser('operator');
    const other = await service.createAccount();
    assert.equal((await login(user.email, 'a wrong password')).status, 401);
    assert.equal((await login(user.email.toUpperCase(), password)).status, 200);
    const [newest, failed, first, ...more] = await entries(`actorId=${user.id}`);
    assert.deepEqual(
      [newest, failed, first].map((entry) => [entry.action, entry.address, entry.target]),
      ['login', 'login_failed', 'login'].map((action) => [action, address, { type: 'user', id: user.id }]),
    );
    assert.deepEqual(failed.actor, { type: 'user', id: user.id, name: newest.actor.name });
    assert.deepEqual(more, []);
    assert.deepEqual(
      (await entries('action=login_failed')).map((entry) => entry.id),
      [failed.id],
    );
    const theirs = await service.call('GET', '/audit-log?action=login_failed', { token: other.jwt });
    assert.deepEqual(theirs.body.items, []);
  });

  it('keeps neither unknown e-mail addresses nor any password', async () => {
    const { email } = await service.createUser('operator');
    assert.equal((await login('nobody-knows-me@example.com', 'secret-of-nobody')).status, 401);
    assert.equal((await login(email, 'typed-by-mistake')).status, 401);
    const rows = await service.context.db.query<{ text: string }>(
      sql`select a::text as text from audit_log a`,
    );
    const all = rows.map((row) => row.text).join('\n');
    for (const secret of ['nobody-knows-me', 'secret-of-nobody', 'typed-by-mistake', password]) {
      assert.ok(!all.includes(secret), secret);
    }
  });

  it('has the deletion of a record: who, from where, which', async () => {
    const kanban = await createKanban(service);
    const record = await createRecord(service, kanban.id, { title: 'To be deleted' });
    const before = (await entries('action=record.deleted')).length;
    assert.equal((await service.call('DELETE', `/crm/records/${record.recordId}`)).status, 200);
    assert.equal((await service.call('DELETE', `/crm/records/${record.recordId}`)).status, 404);
    const [entry, ...older] = await entries('action=record.deleted');
    assert.equal(older.length, before);
    assert.deepEqual(entry.target, { type: 'record', id: record.recordId });
    assert.deepEqual([entry.actor.type, entry.address], ['token', address]);
    assert.deepEqual(entry.changes, {
      title: { from: 'To be deleted', to: null },
      kanbanId: { from: kanban.id, to: null },
    });
  });

  it('has no entry for a deletion that was only tried out', async () => {
    const kanban = await createKanban(service);
    const { recordId } = await createRecord(service, kanban.id);
    const before = await entries('action=record.deleted');
    const answer = await service.call('DELETE', `/crm/records/${recordId}`, {
      headers: { 'x-dry-run': 'events' },
    });
    assert.equal(answer.body.dryRun, true);
    assert.deepEqual(await entries('action=record.deleted'), before);
  });

  it('has exports with their filters, and none for what exports nothing', async () => {
    const kanban = await createKanban(service);
    await createRecord(service, kanban.id);
    const operator = await service.createUser('operator');
    const path = `/crm/export?kanbanId=${kanban.id}&status=new&q=ada`;
    assert.equal((await service.call('HEAD', path, { token: operator.jwt })).status, 200);
    assert.equal((await service.call('GET', path, { token: operator.jwt })).status, 200);
    assert.equal((await service.call('GET', '/crm/export?kanbanId=none')).status, 200);
    const exported = await entries('action=records.exported');
    assert.deepEqual(
      exported.map(({ actor, target, changes, address: from }) => [actor.id, target, changes, from]),
      [[operator.id, { type: 'kanban', id: kanban.id }, { status: 'new', q: 'ada' }, address]],
    );
  });

  it('has the start of an import, streamed or kept', async () => {
    const kanban = await createKanban(service);
    const csv = { headers: { 'content-type': 'text/csv' }, body: 'title\nFrom a file\n' };
    assert.equal((await service.call('POST', `/crm/import?kanbanId=${kanban.id}`, csv)).status, 200);
    const kept = await service.call('POST', `/crm/imports?kanbanId=${kanban.id}&fileName=a.csv`, csv);
    assert.equal(kept.status, 201, kept.text);
    assert.equal((await service.call('POST', `/crm/imports/${kept.body.id}/start`)).status, 200);
    const started = await entries('action=import.started');
    assert.deepEqual(
      started.map((entry) => [entry.target.id, entry.address]),
      [
        [kanban.id, address],
        [kanban.id, address],
      ],
    );
  });

  describe('a change with X-Forwarded-For', () => {
    const change = async (call: TestService['call']): Promise<Json> => {
      const headers = { 'x-forwarded-for': 'no address, 203.0.113.7' };
      const answer = await call('PATCH', '/account', { body: { name: 'Renamed' }, headers });
      assert.equal(answer.status, 200, answer.text);
      return (await entries('action=account.updated'))[0];
    };

    it('has the address of the connection without TRUST_PROXY', async () => {
      assert.equal((await change(service.call)).address, '127.0.0.1');
    });

    it('has the address that the proxy names when TRUST_PROXY includes the proxy', async () => {
      const proxied = await service.startSecond({ TRUST_PROXY: '127.0.0.0/8' });
      try {
        assert.equal((await change(proxied.call)).address, '203.0.113.7');
      } finally {
        await proxied.close();
      }
    });
  });

  it('has no address for what no request did', async () => {
    assert.equal((await entries('action=account.created'))[0].address, null);
  });
});
