import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts';
import { describeSchema, schemaFile } from './schema.ts';

describe('migrations/schema.sql', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase();
    client = new pg.Client(database.connection);
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await database?.drop();
  });

  it('is the schema after all migrations', async () => {
    const current = readFileSync(schemaFile, 'utf8') === (await describeSchema(client));
    assert.ok(current, 'migrations/schema.sql is not current: run `npm run schema`');
  });

  it('is not current after a change of a column, an index, a trigger or a function', async () => {
    const now = await describeSchema(client);
    for (const change of [
      'alter table records add column extra int',
      'alter table records alter column title set default $$none$$',
      'create index extra on records (title)',
      'drop trigger live_records on records',
      'create function extra() returns int language sql as $$select 1$$',
    ]) {
      await client.query('begin');
      await client.query(change);
      assert.notEqual(await describeSchema(client), now, change);
      await client.query('rollback');
    }
  });
});
