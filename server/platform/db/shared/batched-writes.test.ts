import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { AppError } from '../../http/errors.ts';
import { createDb, type Db, isUniqueViolation } from '../db.ts';
import { type Sql, sql } from '../sql.ts';
import { createBatchedWrite, submit } from './batched-writes.ts';

describe('batched writes', () => {
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

  const warnings: unknown[] = [];
  const logger = { warn: (about: unknown) => void warnings.push(about) } as never;
  const insert = (ids: readonly number[]) =>
    sql`insert into things (id) select id from unnest(${ids}::int[]) as id returning id`;
  const batched = (statement: (ids: readonly number[]) => Sql = insert) =>
    createBatchedWrite<number, number>({
      what: 'things',
      logger,
      maxItems: 100,
      async write(ids) {
        const rows = await db.autocommit<{ id: number }>(statement(ids.filter((id) => id >= 0)));
        return ids.map((id) => rows.find((row) => row.id === id)?.id ?? null);
      },
    });
  const stored = async () => {
    const rows = await db.query<{ id: number; xid: string }>(
      sql`select id, xid::text from things order by id`,
    );
    return { ids: rows.map((row) => row.id), statements: new Set(rows.map((row) => row.xid)).size };
  };
  const many = Array.from({ length: 250 }, (_, id) => id);

  it('share few statements when they come at the same time, and each gets its own result', async () => {
    const write = batched();
    assert.deepEqual(await Promise.all(many.map((id) => write('all', id))), many);
    const { ids, statements } = await stored();
    assert.deepEqual(ids, many);
    assert.ok(statements <= 10, `${statements} statements`);
  });

  it('are apart when their keys differ', async () => {
    const write = batched();
    await Promise.all(many.slice(0, 20).map((id) => write(`thing ${id}`, id)));
    assert.equal((await stored()).statements, 20);
  });

  it('fail alone: one that the database refuses takes no other along', async () => {
    const write = batched();
    const submitted = (id: number) =>
      submit(db, {
        shared: () => write('all', id),
        alone: async (tx) => (await tx.query<{ id: number }>(insert([id])))[0]!.id,
      });
    await submitted(7);
    warnings.length = 0;
    const outcomes = await Promise.allSettled(many.map(submitted));
    const failed = outcomes.flatMap((outcome, id) => (outcome.status === 'rejected' ? [id] : []));
    assert.deepEqual(failed, [7]);
    assert.ok(isUniqueViolation((outcomes[7] as PromiseRejectedResult).reason));
    assert.deepEqual((await stored()).ids, many);
    assert.equal(warnings.length, 1);
  });

  it('null: it is written alone', async () => {
    const write = batched();
    assert.equal(await write('all', -1), null);
    const alone = await submit(db, { shared: () => write('all', -1), alone: async () => 99 });
    assert.equal(alone, 99);
  });

  it('are not tried again after a lost connection: nobody knows whether they were written', async () => {
    let sent = 0;
    const write = batched((ids) => {
      sent += ids.length;
      return sql`select pg_terminate_backend(pg_backend_pid()) from unnest(${ids}::int[])`;
    });
    const alone = async () => assert.fail('tried again');
    const outcomes = await Promise.allSettled(
      many.slice(0, 50).map((id) => submit(db, { shared: () => write('all', id), alone })),
    );
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError);
      assert.equal(outcome.reason.status, 503);
    }
    assert.equal(sent, 50);
  });
});
