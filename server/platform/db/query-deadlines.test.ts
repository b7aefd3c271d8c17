import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { AppError } from '../http/errors.ts';
import { createDb, type Db } from './db.ts';
import { sql } from './sql.ts';

describe('deadlines of queries', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 2 });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const is503 = (error: unknown) => error instanceof AppError && error.status === 503;
  const sleep = sql`select pg_sleep(60)`;
  const soon = { timeoutMs: 200 };

  it('503 for a query that takes longer than it may, and a new connection for the next', async () => {
    await assert.rejects(db.query(sleep, soon), is503);
    assert.deepEqual(await db.query(sql`select 1 as one`), [{ one: 1 }]);
  });

  it('503 for a transaction with such a query, and nothing is written', async () => {
    await db.transaction((tx) => tx.query(sql`create table things (id int primary key)`));
    const late = db.transaction(async (tx) => {
      await tx.query(sql`insert into things (id) values (1)`);
      await tx.query(sleep, soon);
    });
    await assert.rejects(late, is503);
    assert.deepEqual(await db.query(sql`select id from things`), []);
  });

  it('a query that may take longer is left alone while another one is ended', async () => {
    const patient = db.query(sql`select 'done' as answer from pg_sleep(1)`, { timeoutMs: 30_000 });
    await assert.rejects(db.query(sleep, soon), is503);
    assert.deepEqual(await patient, [{ answer: 'done' }]);
  });

  it('an error tells who asked', async () => {
    const refused = db.query(sql`select 1 / 0 as nothing`);
    await assert.rejects(refused, (error: Error) => /query-deadlines\.test/.test(error.stack ?? ''));
  });
});
