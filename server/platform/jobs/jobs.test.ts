import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createDb, type Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { createLogger } from '../logger.ts';
import { housekeepingJobKind } from './housekeeping.ts';
import { jobKind, requireOneHandlerEach } from './job-kinds.ts';
import { completeEachIf, enqueue, instanceAccountId, type Job, startJobs } from './jobs.ts';

describe('a job that its handler ends', () => {
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

  /** The outcome that the worker reports, and how many rows are left. */
  const outcomeOf = async (handler: (job: Job) => Promise<void>) => {
    await db.transaction((tx) => enqueue(tx, { accountId: instanceAccountId, kind: 'ending' }));
    const { promise, resolve } = Promise.withResolvers<string>();
    const jobs = startJobs({
      db,
      logger: createLogger('silent'),
      handlers: { ending: handler },
      onFinished: (_, outcome) => resolve(outcome),
    });
    const outcome = await promise;
    await jobs.stop();
    const rows = await db.query<{ id: string }>(sql`select id from jobs where kind = 'ending'`);
    return { outcome, left: rows.length };
  };
  const done = { outcome: 'done', left: 0 };

  it('is done with its transaction, and the worker ends it no second time', async () => {
    assert.deepEqual(await outcomeOf((job) => db.transaction((tx) => job.complete(tx))), done);
    const ended: number[] = [];
    const completeIf = (job: Job) =>
      db.transaction(async (tx) => {
        ended.push((await completeEachIf(tx, job.accountId, [job], sql`true`)).size);
      });
    assert.deepEqual(await outcomeOf(completeIf), done);
    assert.deepEqual(ended, [1]);
  });

  it('is ended by the worker where the transaction failed or the condition did not hold', async () => {
    const failed = async (job: Job) => {
      const ending = db.transaction(async (tx) => {
        await job.complete(tx);
        throw new Error('after it was ended');
      });
      await assert.rejects(ending, /after it was ended/);
    };
    assert.deepEqual(await outcomeOf(failed), done);
    const unmet = (job: Job) =>
      db.transaction(async (tx) =>
        assert.equal((await completeEachIf(tx, job.accountId, [job], sql`false`)).size, 0),
      );
    assert.deepEqual(await outcomeOf(unmet), done);
  });

  it('is aborted when its lease is lost, and the worker leaves it to the other one', async () => {
    const { outcome, left } = await outcomeOf(async (job) => {
      // As another process that finds this one's row expired.
      await db.transaction(async (tx) => {
        await tx.query(sql`delete from processes`);
        await tx.query(sql`update jobs set lease_token = gen_random_uuid() where id = ${job.id}`);
      });
      if (!job.signal.aborted) await once(job.signal, 'abort');
      job.signal.throwIfAborted();
    });
    assert.deepEqual({ outcome, left }, { outcome: 'lost', left: 1 });
    await db.autocommit(sql`delete from jobs`);
  });

  it('of a kind without a handler, or with two, is found at the start', () => {
    const kinds = new Set(['one', 'other']);
    requireOneHandlerEach(['other', 'one'], kinds);
    assert.throws(() => requireOneHandlerEach(['one'], kinds), /no handler for jobs of the kind other/);
    assert.throws(
      () => requireOneHandlerEach(['one', 'other', 'one'], kinds),
      /two handlers for jobs of the kind one/,
    );
    assert.throws(() => jobKind(housekeepingJobKind), /two kinds of jobs have the name housekeeping/);
    assert.throws(() => requireOneHandlerEach([]), /no handler for jobs of the kind .*housekeeping/);
  });
});
