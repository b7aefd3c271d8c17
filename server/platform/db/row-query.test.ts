import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createDb, type Db } from './db.ts';
import { sql } from './sql.ts';

describe('rows', () => {
  let database: TestDatabase;
  let db: Db;
  let driver: pg.Client;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 1 });
    driver = new pg.Client(database.connection);
    await driver.connect();
  });
  after(async () => {
    await driver.end();
    await db.close();
    await database.drop();
  });

  it('are as the driver makes them, of every type and with nulls', async () => {
    const statement = sql`
      select n as number, n::bigint as big, n::numeric as exact, n::float8 as double, n = 1 as truth, 'x' || n as text,
        null::text as nothing, '019a8b1e-8438-753e-a68c-242cd889b9df'::uuid as id, array[n, null] as numbers,
        array['a,"b"', null] as texts, jsonb_build_object('n', n, 'list', array[n]) as json, '\\x00ff'::bytea as bytes,
        timestamptz '2026-01-02 03:04:05Z' as moment, n as "two words", n as "quo""te\\n"
      from generate_series(1, 3) as n order by n`;
    const { text } = statement.statement();
    assert.deepEqual(
      await db.query(statement),
      (await driver.query(text)).rows.map((row) => ({ ...row })),
    );
  });

  it('are none for a statement without any, and empty objects for one without columns', async () => {
    assert.deepEqual(await db.query(sql`select 1 as one where false`), []);
    assert.deepEqual(await db.query(sql`select from generate_series(1, 2)`), [{}, {}]);
    assert.deepEqual(await db.query(sql`set local application_name = 'x'`), []);
  });

  it('of a column whose type has changed are read by the new type', async () => {
    await driver.query('create table things (value text not null)');
    await driver.query(`insert into things values ('1')`);
    const statement = sql`select value from things`;
    assert.deepEqual(await db.query(statement), [{ value: '1' }]);
    await driver.query('alter table things alter value type int using value::int');
    const fresh = createDb({ connection: database.connection, poolSize: 1 });
    assert.deepEqual(await fresh.query(statement), [{ value: 1 }]);
    await fresh.close();
  });
});
