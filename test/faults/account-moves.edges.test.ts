import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findLogin, findLoginById } from '../../server/features/accounts/accounts.ts';
import { accountDeletionHandler } from '../../server/features/privacy/account-deletion/account-deletion.jobs.ts';
import { selectDue } from '../../server/features/privacy/retention/retention.sql.ts';
import { beginSession } from '../../server/features/sign-in/sign-in.session.ts';
import { locateAccount } from '../../server/platform/cells/directory.sql.ts';
import { cellOfAccount } from '../../server/platform/cells/directory.ts';
import { cancelMove, moveAccount } from '../../server/platform/cells/move/move.ts';
import type { Move } from '../../server/platform/cells/move/moves.sql.ts';
import { openAccount } from '../../server/platform/cells/move/rows.sql.ts';
import { settle } from '../../server/platform/cells/move/settle.ts';
import { readTables } from '../../server/platform/cells/move/tables.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { runInProcess, settingsOf } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService, type TestService } from '../support/service.ts';

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
    // A new account goes to the cell with the most weight for each account.
    await home().autocommit(sql`
      insert into cells (name, weight) values (${cell}, 1000000), (${otherOf(cell)}, 1)
      on conflict (name) do update set weight = excluded.weight`);
    const own = await service.createAccount(name);
    assert.equal(await cellOfAccount(home(), own.accountId), cell);
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

  it('nobody signs in where it has been, though the rows of its users are still there', async () => {
    const own = await accountIn('home', 'Signs in');
    const { id } = (await service.call('GET', '/auth/me', { token: own.jwt })).body.user;
    await move(own.accountId, 'eu2');
    assert.ok(await findLoginById(home(), own.accountId, id));
    const begin = (cell: string) => {
      const context = service.contextOf(cell);
      const client = { address: '127.0.0.1', userAgent: 'test' };
      const now = context.clock.now();
      return context.db.transaction((tx) =>
        beginSession(tx, context, { accountId: own.accountId, id }, client, { now, method: 'login_link' }),
      );
    };
    // Not a 401: the person has done nothing wrong, and the next try reaches the new cell.
    await assert.rejects(begin('home'), { status: 503 });
    assert.equal((await begin('eu2')).user.id, id);
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

  it('keeps a row once whose key has changed meanwhile', async () => {
    const own = await service.createAccount('Keys');
    const from = await cellOfAccount(home(), own.accountId);
    const to = otherOf(from);
    const keyOf = async (cell: string) =>
      (
        await dbOf(cell).query<{ key: string }>(
          sql`select identifier as key from web_identifiers_of_test where account_id = ${own.accountId}`,
        )
      ).map(({ key }) => key);
    for (const cell of ['home', 'eu2']) {
      await dbOf(cell).autocommit(sql`
        create table web_identifiers_of_test (account_id uuid not null, identifier text, primary key (account_id, identifier))`);
    }
    try {
      await dbOf(from).autocommit(
        sql`insert into web_identifiers_of_test values (${own.accountId}, 'a'), (${own.accountId}, 'b')`,
      );
      let isChanged: Promise<unknown> | null = null;
      const report = ({ state }: Move) => {
        if (state !== 'checking') return;
        isChanged ??= dbOf(from).autocommit(sql`
          update web_identifiers_of_test set identifier = 'c' where account_id = ${own.accountId} and identifier = 'b'`);
      };
      assert.equal((await move(own.accountId, to, { report })).state, 'done');
      await isChanged;
      assert.deepEqual((await keyOf(to)).sort(), ['a', 'c']);
    } finally {
      for (const cell of ['home', 'eu2']) {
        await dbOf(cell).autocommit(sql`drop table web_identifiers_of_test`);
      }
    }
  });

  it('is abandoned with the name of the constraint if another account is in the way', async () => {
    const [own, other] = [await accountIn('home', 'Twin'), await accountIn('eu2', 'Other twin')];
    const insert = (cell: string, { accountId }: Own) =>
      dbOf(cell).autocommit(sql`
        insert into user_identities (account_id, user_id, issuer, subject, linked_at)
        select account_id, id, 'https://login.example.com', 'same', 1 from users where account_id = ${accountId}`);
    await insert('home', own);
    await insert('eu2', other);
    await assert.rejects(() => move(own.accountId, 'eu2'), { status: 409, message: /user_identities_/ });
    assert.equal(await cellOfAccount(home(), own.accountId), 'home');
    assert.ok(!(await hasRows('eu2', own)));
  });

  it('arriving rows are left alone by housekeeping, and secrets are not re-encrypted', async () => {
    const own = await service.createAccount('Arriving');
    const to = otherOf(await cellOfAccount(home(), own.accountId));
    await assert.rejects(() => move(own.accountId, to, interruptedAt('checking')), /interrupted/);
    const gone = await dbOf(to).autocommit(
      sql`delete from users where account_id = ${own.accountId} returning 1`,
    );
    assert.equal(gone.length, 0);
    const { code, stderr } = await runInProcess(['rotate-key'], settingsOf(service));
    assert.equal(code, 1);
    assert.match(stderr, /is moving to the cell/);
    const cancelled = await cancelMove({ home: home(), dbOf }, own.accountId);
    assert.equal(cancelled.state, 'abandoned');
    // Again, as after a command that was killed before it had noted the end.
    await home().autocommit(
      sql`update account_moves set ended_at = null, state = 'copying' where id = ${cancelled.id}`,
    );
    assert.equal((await cancelMove({ home: home(), dbOf }, own.accountId)).state, 'abandoned');
    assert.equal((await runInProcess(['rotate-key'], settingsOf(service))).code, 0);
  });

  it('takes along what nobody was notified of', async () => {
    const own = await accountIn('home', 'News');
    const to = 'eu2';
    await assert.rejects(() => move(own.accountId, to, interruptedAt('closing')), /interrupted/);
    await dbOf(to).autocommit(sql`
      update account_fences set news = '[{"type":"record.created","subject_id":"kept-news"}]'
      where account_id = ${own.accountId}`);
    const [fence] = await dbOf(to).query<{ id: string }>(
      sql`select move_id as id from account_fences where account_id = ${own.accountId}`,
    );
    await dbOf(to)
      .transaction(async (tx) => {
        await openAccount(tx, own.accountId, fence!.id);
        const news = await tx.query(sql`
        select from live_changes where account_id = ${own.accountId} and subject_id = 'kept-news'`);
        assert.equal(news.length, 1);
        throw new Error('undone');
      })
      .catch((error) => assert.match(String(error), /undone/));
    assert.equal((await move(own.accountId, to)).state, 'done');
  });

  it('is not ended in the old cell before the directory names the new one', async () => {
    const own = await accountIn('home', 'Unknown move');
    const unknown = { accountId: own.accountId, moveId: own.accountId, from: 'home', to: 'eu2' };
    await assert.rejects(() => settle({ home: home(), dbOf }, unknown), /ended in another way/);
  });
});
