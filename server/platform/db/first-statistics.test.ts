import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createDb, type Db } from './db.ts';
import { analyseGrownTables } from './first-statistics.ts';
import { sql } from './sql.ts';

describe('first statistics', () => {
  let database: TestDatabase;
  let db: Db;
  // Without autovacuum, which could analyse a table in the middle of a test.
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 2 });
    await db.transaction((tx) =>
      tx.query(sql`create table crowds (id int primary key) with (autovacuum_enabled = off)`),
    );
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const fill = (from: number, to: number) =>
    db.transaction((tx) =>
      tx.query(sql`insert into crowds select generate_series(${from}::int, ${to}::int)`),
    );
  const knownRows = async () => {
    const [row] = await db.query<{ rows: number }>(
      sql`select reltuples::int as rows from pg_class where oid = 'crowds'::regclass`,
    );
    return row!.rows;
  };

  const liveRows = async () => {
    const [row] = await db.query<{ rows: number }>(
      sql`select pg_stat_get_live_tuples('crowds'::regclass)::int as rows`,
    );
    return row!.rows;
  };
  /** The server counts rows a moment after they were written. */
  const isKnownSoon = (rows: number) =>
    eventually(async () => {
      await analyseGrownTables(db);
      return (await knownRows()) === rows;
    });

  it('a table is analysed once it has some rows, and again with four times as many', async () => {
    await analyseGrownTables(db);
    assert.equal(await knownRows(), -1);
    await fill(1, 60);
    await isKnownSoon(60);
    await fill(61, 239);
    assert.equal(await analyseGrownTables(db), false);
    assert.equal(await knownRows(), 60);
    await fill(240, 240);
    await isKnownSoon(240);
  });

  it('a large table is left to autovacuum', async () => {
    await fill(241, 20_000);
    await isKnownSoon(20_000);
    await fill(20_001, 81_000);
    await eventually(async () => (await liveRows()) === 81_000);
    assert.equal(await analyseGrownTables(db), false);
    assert.equal(await knownRows(), 20_000);
  });

  it('several tables are analysed at once', async () => {
    await db.transaction((tx) =>
      tx.query(
        sql`create table rooms with (autovacuum_enabled = off) as select generate_series(1, 100) as id`,
      ),
    );
    await db.transaction((tx) =>
      tx.query(
        sql`create table halls with (autovacuum_enabled = off) as select generate_series(1, 100) as id`,
      ),
    );
    await eventually(async () => {
      const counted = await db.query(
        sql`select from pg_class where relname in ('rooms', 'halls') and pg_stat_get_live_tuples(oid) = 100`,
      );
      return counted.length === 2;
    });
    assert.equal(await analyseGrownTables(db), true);
    const known = await db.query(
      sql`select from pg_class where relname in ('rooms', 'halls') and reltuples = 100`,
    );
    assert.equal(known.length, 2);
  });
});
