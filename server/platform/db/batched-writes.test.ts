import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { AppError } from '../http/errors.ts';
import type { BatchedWrite } from './batched-writes.ts';
import { createDb, type Db, isUniqueViolation } from './db.ts';
import { sql } from './sql.ts';

describe('shared writes', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 4 });
    await db.transaction((tx) =>
      tx.query(sql`create table things (id int primary key, xid xid8 not null default pg_current_xact_id())`),
    );
  });
  beforeEach(() => db.transaction((tx) => tx.query(sql`delete from things`)));
  after(async () => {
    await db.close();
    await database.drop();
  });

  const things: BatchedWrite<number> = {
    key: 'things',
    statement: (ids) =>
      sql`insert into things (id) select id from unnest(${ids}::int[]) as id where id >= 0 returning 1`,
  };
  const write = (id: number, how = things) => db.runRule((tx) => tx.writeBatched(how, id));
  const stored = async () => {
    const rows = await db.query<{ id: number; xid: string }>(
      sql`select id, xid::text from things order by id`,
    );
    return { ids: rows.map((row) => row.id), statements: new Set(rows.map((row) => row.xid)).size };
  };
  const many = Array.from({ length: 250 }, (_, id) => id);

  it('share few statements when they come at the same time, and each is written', async () => {
    assert.deepEqual(await Promise.all(many.map((id) => write(id))), Array(250).fill(true));
    const { ids, statements } = await stored();
    assert.deepEqual(ids, many);
    assert.ok(statements <= 10, `${statements} statements`);
  });

  it('are apart when their keys differ', async () => {
    const ofOther = (id: number): BatchedWrite<number> => ({ ...things, key: `things ${id}` });
    await Promise.all(many.slice(0, 20).map((id) => write(id, ofOther(id))));
    assert.equal((await stored()).statements, 20);
  });

  it('fail alone: one that the database refuses takes no other along', async () => {
    await write(7);
    const outcomes = await Promise.allSettled(many.map((id) => write(id)));
    const failed = outcomes.flatMap((outcome, id) => (outcome.status === 'rejected' ? [id] : []));
    assert.deepEqual(failed, [7]);
    assert.ok(isUniqueViolation((outcomes[7] as PromiseRejectedResult).reason));
    assert.deepEqual((await stored()).ids, many);
  });

  it('false when the statement wrote nothing', async () => {
    assert.equal(await write(-1), false);
  });

  it('are not tried again after a lost connection: nobody knows whether they were written', async () => {
    let sent = 0;
    const cutting: BatchedWrite<number> = {
      key: 'cutting',
      statement: (ids) => {
        sent += ids.length;
        return sql`select pg_terminate_backend(pg_backend_pid()) from unnest(${ids}::int[])`;
      },
    };
    const outcomes = await Promise.allSettled(many.slice(0, 50).map((id) => write(id, cutting)));
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError);
      assert.equal(outcome.reason.status, 503);
    }
    assert.equal(sent, 50);
  });

  it('belong to their transaction where there is one', async () => {
    const undone = db.transaction(async (tx) => {
      assert.equal(await tx.writeBatched(things, 1), true);
      throw new Error('undo');
    });
    await assert.rejects(undone, /undo/);
    assert.deepEqual((await stored()).ids, []);
  });
});
