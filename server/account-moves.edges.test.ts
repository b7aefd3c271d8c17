import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../test/support/eventually.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { accountDeletionHandler } from './features/account-deletion/account-deletion.jobs.ts';
import { findLogin } from './features/accounts/accounts.ts';
import { selectDue } from './features/retention/retention.sql.ts';
import { locateAccount } from './platform/cells/directory.sql.ts';
import { cellOfAccount } from './platform/cells/directory.ts';
import { moveAccount } from './platform/cells/move/move.ts';
import type { Move } from './platform/cells/move/moves.sql.ts';
import { readTables } from './platform/cells/move/tables.ts';
import { sql } from './platform/db/sql.ts';

interface Own {
  accountId: string;
  jwt: string;
  token: string;
}

describe('what else may happen to an account that moves', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ cells: ['eu2'], worker: true });
  });
  after(() => service.close());

  const home = () => service.context.db;
  const dbOf = (cell: string) => service.contextOf(cell).db;
  const move = (accountId: string, to: string, options = {}) =>
    moveAccount({ home: home(), dbOf, accountId, to, ...options });
  const otherOf = (cell: string) => (cell === 'home' ? 'eu2' : 'home');
  const accountIn = async (cell: string, name: string): Promise<Own> => {
    const own = await service.createAccount(name);
    if ((await cellOfAccount(home(), own.accountId)) !== cell) await move(own.accountId, cell);
    return own;
  };
  const remove = ({ accountId }: Own, name: string) =>
    service.call('DELETE', `/admin/accounts/${accountId}?name=${encodeURIComponent(name)}`, {
      token: service.admin.jwt,
    });
  const hasRows = async (cell: string, { accountId }: Own) => {
    for (const { table, account } of await readTables(dbOf(cell))) {
      const rows = await dbOf(cell).query(sql`select from ${table} where ${account} = ${accountId} limit 1`);
      if (rows.length > 0) return true;
    }
    return false;
  };
  const interruptedAt = (state: string) => ({
    report(one: Move) {
      if (one.state === state) throw new Error('interrupted');
    },
  });

  it('what it has left is not found, and goes when it is deleted', async () => {
    const own = await accountIn('home', 'Left home');
    const { email } = (await service.call('GET', '/auth/me', { token: own.jwt })).body.user;
    await home().autocommit(
      sql`insert into retention (account_id, message_days) values (${own.accountId}, 1)`,
    );
    await move(own.accountId, 'eu2');
    assert.ok(await hasRows('home', own));
    assert.equal(await findLogin(home(), email), null);
    assert.equal((await findLogin(dbOf('eu2'), email))?.accountId, own.accountId);
    assert.ok(!(await selectDue(home(), Date.now())).includes(own.accountId));
    assert.ok((await selectDue(dbOf('eu2'), Date.now())).includes(own.accountId));
    // As after the account was deleted in its new cell.
    const [listed] = await home().query<{ cell: string }>(
      sql`select cell from cell_accounts where account_id = ${own.accountId}`,
    );
    assert.equal(listed?.cell, 'eu2');
    await home().autocommit(sql`delete from cell_accounts where account_id = ${own.accountId}`);
    assert.equal(await locateAccount(home(), own.accountId), null);
    await home().autocommit(
      sql`insert into cell_accounts (account_id, cell) values (${own.accountId}, 'eu2')`,
    );
    // A job of the old cell removes nothing.
    const handler = accountDeletionHandler(service.context);
    const job = { payload: { accountId: own.accountId }, isStopping: () => false, keep: async () => {} };
    await handler(job as unknown as Parameters<typeof handler>[0]);
    assert.equal(await locateAccount(home(), own.accountId), 'eu2');
    assert.equal((await remove(own, 'Left home')).status, 202);
    await eventually(async () => (await locateAccount(home(), own.accountId)) === null, 60_000);
    assert.ok(!(await hasRows('home', own)) && !(await hasRows('eu2', own)));
    assert.equal((await service.call('GET', '/account', { token: own.token })).status, 401);
  });

  it('is not deleted while it moves, and does not move while it is deleted', async () => {
    const own = await service.createAccount('In between');
    const from = await cellOfAccount(home(), own.accountId);
    const to = otherOf(from);
    await assert.rejects(() => move(own.accountId, to, interruptedAt('checking')), /interrupted/);
    const refused = await remove(own, 'In between');
    assert.equal(refused.status, 409, refused.text);
    // It was requested a moment before the fence was there.
    let isRequested = false;
    const report = ({ state }: Move) => {
      if (state !== 'checking' || isRequested) return;
      isRequested = true;
      void dbOf(from).autocommit(sql`update accounts set deleting_at = 1 where id = ${own.accountId}`);
    };
    await assert.rejects(() => move(own.accountId, to, { report }), /is being deleted/);
    assert.equal(await cellOfAccount(home(), own.accountId), from);
    assert.ok(!(await hasRows(to, own)));
    await assert.rejects(() => move(own.accountId, to), { status: 409, message: /is being deleted/ });
    // Its job was lost: the same request makes a new one.
    assert.equal((await remove(own, 'In between')).status, 202);
    await eventually(async () => !(await hasRows(from, own)), 60_000);
  });
});
