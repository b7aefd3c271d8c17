import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { AppError } from '../../http/errors.ts';
import { createDb, type Db } from '../db.ts';
import { sql } from '../sql.ts';

describe('statements with the same key', () => {
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

  const idle = () => {
    const { total, idle, waiting } = db.stats();
    assert.deepEqual([idle, waiting], [total, 0]);
  };
  const run = async (shareKey: string, divisor = 1) => {
    const statement = sql`select pg_backend_pid() as pid, 1 / ${divisor}::int as one`;
    const [row] = await db.autocommit<{ pid: number }>(statement, { shareKey });
    return row!.pid;
  };

  it('share a connection while one of them runs, and give it back', async () => {
    const [first, second, other] = await Promise.all([run('a'), run('a'), run('b')]);
    assert.equal(first, second);
    assert.notEqual(first, other);
    idle();
  });

  it('take another connection after a while, so that none has one for itself', async () => {
    const long = sql`select pg_backend_pid() as pid from pg_sleep(0.3)`;
    const first = db.autocommit<{ pid: number }>(long, { shareKey: 'a' });
    const second = run('a');
    await delay(150);
    const third = await run('a');
    const [[{ pid }], shared] = (await Promise.all([first, second])) as [[{ pid: number }], number];
    assert.equal(shared, pid);
    assert.notEqual(third, pid);
    idle();
  });

  it('fail one by one', async () => {
    const [before, broken, behind] = await Promise.allSettled([run('a'), run('a', 0), run('a')]);
    assert.deepEqual([before.status, broken.status, behind.status], ['fulfilled', 'rejected', 'fulfilled']);
    assert.equal((broken as PromiseRejectedResult).reason.code, '22012');
    idle();
  });

  it('answer 503 when their connection is lost, and the next ones use another', async () => {
    const lost = db.autocommit(sql`select pg_terminate_backend(pg_backend_pid())`, { shareKey: 'a' });
    const outcomes = await Promise.allSettled([lost, run('a')]);
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError, outcome.status);
      assert.equal(outcome.reason.status, 503);
    }
    await run('a');
    idle();
  });

  it('fail when there is no connection for them, and work again when there is', async () => {
    const taken = await Promise.all(Array.from({ length: 4 }, () => db.connect()));
    const outcomes = await Promise.allSettled([run('a'), run('a')]);
    for (const client of taken) client.release();
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError, outcome.status);
      assert.equal(outcome.reason.code, 'BUSY');
    }
    await run('a');
  });
});
