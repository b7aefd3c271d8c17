import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { AppError } from '../../http/errors.ts';
import { createDb, type Db } from '../db.ts';
import { sql } from '../sql.ts';

describe('quick reads', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 4 });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const process = (number: number) =>
    db.quick.query<{ pid: number; number: number }>(
      sql`select pg_backend_pid() as pid, ${number}::int as number`,
    );

  it('that are asked for at the same time share connections, eight each, and get their own rows', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, (_, number) => process(number)));
    const rows = answers.flat();
    assert.deepEqual(
      rows.map(({ number }) => number),
      Array.from({ length: 16 }, (_, number) => number),
    );
    const firstHalf = new Set(rows.slice(0, 8).map(({ pid }) => pid));
    const secondHalf = new Set(rows.slice(8).map(({ pid }) => pid));
    assert.deepEqual([firstHalf.size, secondHalf.size], [1, 1]);
    assert.notDeepEqual(firstHalf, secondHalf);
  });

  it('fail one by one, and give the connection back', async () => {
    const [before, broken, behind] = await Promise.allSettled([
      process(1),
      db.quick.query(sql`select 1 / ${0}::int`),
      process(2),
    ]);
    assert.equal(before.status, 'fulfilled');
    assert.equal(broken.status, 'rejected');
    assert.equal((broken.reason as { code: string }).code, '22012');
    assert.equal(behind.status === 'fulfilled' && behind.value[0]!.number, 2);
    const { total, idle, waiting } = db.stats();
    assert.deepEqual([idle, waiting], [total, 0]);
  });

  it('answer 503 when their connection is lost, and the next ones use another', async () => {
    const results = await Promise.allSettled([
      db.quick.query(sql`select pg_terminate_backend(pg_backend_pid())`),
      process(1),
    ]);
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof AppError, result.status);
      assert.equal(result.reason.status, 503);
    }
    assert.equal((await process(3))[0]!.number, 3);
  });

  it('answer 503 when no connection is free in time', async () => {
    const taken = await Promise.all(Array.from({ length: 4 }, () => db.connect()));
    const results = await Promise.allSettled([process(1), process(2)]);
    for (const client of taken) client.release();
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof AppError, result.status);
      assert.deepEqual([result.reason.status, result.reason.code], [503, 'BUSY']);
    }
  });
});
