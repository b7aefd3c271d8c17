import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createDb, type Db } from '../db/db.ts';
import { createLogger } from '../logger.ts';
import { enqueue, instanceAccountId, startJobs } from './jobs.ts';

describe('stopping the worker', () => {
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

  it('waits for a job that was being claimed at that moment', async () => {
    await db.transaction((tx) => enqueue(tx, { accountId: instanceAccountId, kind: 'slow' }));
    let began = false;
    let ended = false;
    const jobs = startJobs({
      db,
      logger: createLogger('silent'),
      handlers: {
        slow: async () => {
          began = true;
          for (let turn = 0; turn < 20; turn++) await nextTurn();
          ended = true;
        },
      },
    });
    // The first claim has just been sent; its result is not here yet.
    await jobs.stop();
    assert.deepEqual({ began, ended }, { began: true, ended: true });
  });
});
