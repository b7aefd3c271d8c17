import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { connectDb } from '../../../open-database.ts';
import type { Db } from '../../db/db.ts';
import { sql } from '../../db/sql.ts';
import { createLogger } from '../../logger.ts';
import { selectGuarded } from './fence.sql.ts';
import { guardTables } from './guard.ts';
import { type MovedTable, readTables } from './tables.ts';

describe('the triggers of a move', () => {
  let database: TestDatabase;
  let db: Db;
  let tables: MovedTable[];
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ connection: database.connection, stop: async () => {} }, createLogger('fatal'));
    tables = await readTables(db);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const unguarded = async () => {
    const guarded = await selectGuarded(db);
    return tables.map(({ name }) => name).filter((name) => !guarded.has(name));
  };

  it('are added to every table; one in use is waited for while the group before it is done', async () => {
    assert.equal((await unguarded()).length, tables.length);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    // As a write that takes long does.
    const writer = db.transaction(async (tx) => {
      await tx.query(sql`lock table labels in row exclusive mode`);
      isHeld = true;
      await released;
    });
    await eventually(() => isHeld);
    const guarding = guardTables(db, tables);
    const guarded = guarding.then(() => true);
    const others = tables.slice(
      0,
      tables.findIndex(({ name }) => name === 'labels'),
    );
    await eventually(async () => {
      const left = await unguarded();
      return !others.some(({ name }) => left.includes(name));
    });
    assert.ok((await unguarded()).includes('labels'));
    release();
    await writer;
    assert.ok(await guarded);
    assert.deepEqual(await unguarded(), []);
    // Again: there is nothing to do, and nothing fails.
    await guardTables(db, tables);
  });
});
