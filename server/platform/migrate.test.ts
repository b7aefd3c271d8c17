import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { createDb, type Db } from './db.ts';
import { migrate } from './migrate.ts';
import { StartError } from './start-error.ts';

describe('migrations', () => {
  let database: TestDatabase;
  let db: Db;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ empty: true });
    db = createDb({ connection: database.connection, poolSize: 8 });
    client = new pg.Client(database.connection);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await db.close();
    await database.drop();
  });

  it('are each applied once by eight processes that start at the same time', async () => {
    const done = await Promise.all(Array.from({ length: 8 }, () => migrate(db)));
    const { rows } = await client.query('select name from schema_migrations order by name');
    assert.deepEqual(
      done.flat().sort(),
      rows.map((row) => row.name),
    );
    assert.deepEqual(await migrate(db), []);
  });

  it('refuse to go on when one was changed after it had been applied, and name it', async () => {
    const { rows } = await client.query(
      `update schema_migrations set checksum = 'another' where name = (select min(name) from schema_migrations)
       returning name`,
    );
    await assert.rejects(migrate(db), (error: Error) => {
      assert.ok(error instanceof StartError);
      return error.message.includes(`${rows[0].name} was changed after it had been applied`);
    });
  });
});
