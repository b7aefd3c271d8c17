import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createDb, type Db } from './db.ts';
import { analyseNewTable } from './first-statistics.ts';
import { sql } from './sql.ts';

describe('first statistics', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 2 });
    await db.transaction((tx) => tx.query(sql`create table crowds (id int primary key)`));
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

  it('a table is analysed once it has some rows, and then left to autovacuum', async () => {
    await analyseNewTable(db);
    assert.equal(await knownRows(), -1);
    await fill(1, 60);
    // The server counts rows a moment after they were written.
    await eventually(async () => {
      await analyseNewTable(db);
      return (await knownRows()) === 60;
    });
    await fill(61, 500);
    assert.equal(await analyseNewTable(db), false);
    assert.equal(await knownRows(), 60);
  });
});
