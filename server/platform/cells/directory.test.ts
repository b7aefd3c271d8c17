import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createDb, type Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { cellOfAccount, createDirectory, type Directory } from './directory.ts';

describe('the directory of cells', () => {
  let databases: TestDatabase[];
  let home: Db;
  let eu2: Db;
  let isOpen = true;
  let directory: Directory;
  before(async () => {
    databases = [await createTestDatabase(), await createTestDatabase()];
    // One connection: what needs a second one inside a transaction fails.
    [home, eu2] = databases.map(({ connection }) => createDb({ connection, poolSize: 1 })) as [Db, Db];
    directory = createDirectory({ home, names: ['eu2'], dbOf: () => (isOpen ? eu2 : null) });
    home.onClaim('email', (tx, email, accountId) => directory.claimEmail(email, accountId, tx));
  });
  after(async () => {
    await home.close();
    await eu2.close();
    for (const { drop } of databases) await drop();
  });

  const createIn = (db: Db, accountId: string) =>
    db.autocommit(sql`
      insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at)
      values (${accountId}, 'A', 1, 1, 1, 0)`);
  const reservation = async (accountId: string) => {
    const [row] = await home.query<{ isReserved: boolean }>(
      sql`select reserved_at is not null as "isReserved" from cell_accounts where account_id = ${accountId}`,
    );
    return row ? (row.isReserved ? 'reserved' : 'kept') : 'none';
  };
  const age = (accountId: string) =>
    home.autocommit(
      sql`update cell_accounts set reserved_at = now() - interval '1 hour' where account_id = ${accountId}`,
    );

  it('claims an address on the connection of a transaction in the home cell', async () => {
    const [ana, bob] = [newId(), newId()];
    assert.equal(await home.transaction((tx) => tx.claim('email', 'ana@example.com', ana)), true);
    assert.equal(await home.transaction((tx) => tx.claim('email', 'ana@example.com', bob)), false);
    await assert.rejects(
      home.transaction(async (tx) => {
        await tx.claim('email', 'undone@example.com', ana);
        throw new Error('the user is not created');
      }),
    );
    assert.equal(await directory.claimEmail('undone@example.com', bob), true);
  });

  it('claims a slug once in the instance, also one from before there were other cells', async () => {
    const [ana, bob] = [newId(), newId()];
    assert.equal(await directory.claimSlug('harbour', ana), true);
    assert.equal(await directory.claimSlug('harbour', bob), false);
    assert.equal(await directory.claimSlug('harbour', ana), true);
    await createIn(home, ana);
    await home.autocommit(sql`insert into help_slugs (account_id, slug) values (${ana}, 'older')`);
    assert.equal(await directory.claimSlug('older', bob), false);
    assert.equal(await directory.claimSlug('older', ana), true);
  });

  it('keeps the place of an account that was created', async () => {
    const placed = await directory.place(newId(), { cell: 'eu2' });
    assert.equal(await reservation(placed.accountId), 'reserved');
    await createIn(eu2, placed.accountId);
    await directory.settle(placed);
    assert.equal(await reservation(placed.accountId), 'kept');
    assert.equal(await cellOfAccount(home, placed.accountId), 'eu2');
  });

  it('gives up the place and the address of one that was not', async () => {
    const placed = await directory.place(newId(), { cell: 'eu2' });
    assert.equal(await directory.claimEmail('eva@example.com', placed.accountId), true);
    await directory.settle(placed);
    assert.equal(await reservation(placed.accountId), 'none');
    assert.equal(await directory.claimEmail('eva@example.com', newId()), true);
  });

  it('continues with the same account when a request is repeated', async () => {
    const request = Buffer.from('the same');
    const first = await directory.place(newId(), { cell: 'eu2', request });
    const again = await directory.place(newId(), { request });
    assert.deepEqual(again, { ...first, isRepeated: true });
    // The first run may be under way: its place is not given up.
    await directory.settle(again);
    assert.equal(await reservation(first.accountId), 'reserved');
    const other = await directory.place(newId(), { cell: 'eu2', request: Buffer.from('another') });
    assert.notEqual(other.accountId, first.accountId);
  });

  it('settles what a process that died has left, once the cell answers', async () => {
    const created = await directory.place(newId(), { cell: 'eu2' });
    const absent = await directory.place(newId(), { cell: 'eu2' });
    const recent = await directory.place(newId(), { cell: 'eu2' });
    await createIn(eu2, created.accountId);
    for (const { accountId } of [created, absent]) await age(accountId);
    isOpen = false;
    await directory.settleOld();
    assert.equal(await reservation(absent.accountId), 'reserved');
    isOpen = true;
    await directory.settleOld();
    const left = await Promise.all([created, absent, recent].map((one) => reservation(one.accountId)));
    assert.deepEqual(left, ['kept', 'none', 'reserved']);
  });

  it('places no account in a cell that is away', async () => {
    await home.autocommit(sql`insert into cells (name, weight) values ('eu2', 100000)`);
    assert.equal((await directory.place(newId())).cell, 'eu2');
    isOpen = false;
    assert.equal((await directory.place(newId())).cell, 'home');
    isOpen = true;
  });
});
