import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createDb, type Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { createLogger } from '../logger.ts';
import { hasOtherProcesses, joinProcesses, leaveProcesses, rowOfProcess, watchWork } from './due-work.ts';
import { enqueue, instanceAccountId, startJobs } from './jobs.ts';

describe('work that is due', () => {
  let database: TestDatabase;
  let db: Db;
  let other: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 4 });
    other = createDb({ connection: database.connection, poolSize: 2 });
    await db.query(sql`create table waiting (name text)`);
  });
  after(async () => {
    await db.close();
    await other.close();
    await database.drop();
  });

  const count = { name: 'rows', value: sql`(select count(*) from waiting)` };
  const wake = () => {};
  const constant = (name: string) => ({ name, value: sql`true` });

  it('wakes those for whom something was found, and no others', async () => {
    const woken = { some: 0, none: 0 };
    const forget = [
      watchWork<number>(db, { look: count, isDue: (rows) => rows > 0, wake: () => void woken.some++ }),
      watchWork<number>(db, { look: count, isDue: (rows) => rows > 1, wake: () => void woken.none++ }),
    ];
    await other.query(sql`insert into waiting values ('one')`);
    await eventually(() => woken.some > 2);
    await Promise.all(forget.map((end) => end()));
    assert.equal(woken.none, 0);
    const { some } = woken;
    // Another watch that is woken shows that time has passed.
    let later = 0;
    const end = watchWork<boolean>(db, {
      look: constant('later'),
      isDue: () => true,
      wake: () => void later++,
    });
    await eventually(() => later > 2);
    await end();
    assert.equal(woken.some, some);
  });

  it('wakes each no more often than it asked for', async () => {
    const wokenAt: number[] = [];
    let often = 0;
    const forget = [
      watchWork<boolean>(db, {
        look: constant('seldom'),
        isDue: () => true,
        wake: () => void wokenAt.push(performance.now()),
        everyMs: 350,
      }),
      watchWork<boolean>(db, { look: constant('often'), isDue: () => true, wake: () => void often++ }),
    ];
    await eventually(() => wokenAt.length === 3);
    await Promise.all(forget.map((end) => end()));
    for (const [index, at] of wokenAt.slice(1).entries()) assert.ok(at - wokenAt[index]! >= 350);
    assert.ok(often > wokenAt.length);
  });

  it('wakes everybody if it cannot be read', async () => {
    let woken = 0;
    const end = watchWork<boolean>(db, {
      look: { name: 'failing', value: sql`(1 / (select count(*) from waiting where false)) > 0` },
      isDue: () => false,
      wake: () => void woken++,
    });
    await eventually(() => woken > 0);
    await end();
  });

  it('asks for what is rare once a second, and renews then', async () => {
    await other.query(sql`delete from waiting`);
    await other.query(sql`insert into waiting values ('one')`);
    const asked = { rare: 0, often: 0 };
    const ends = [
      watchWork<boolean>(db, {
        look: { ...constant('rare'), isRare: true },
        isDue: () => !++asked.rare,
        wake,
      }),
      watchWork<boolean>(db, { look: constant('often'), isDue: () => !++asked.often, wake }),
    ];
    await eventually(() => asked.rare > 0);
    const until = () =>
      db.query<{ alive_until: Date }>(
        sql`select alive_until from processes where id = ${rowOfProcess(db).id}`,
      );
    const [first] = await until();
    await eventually(() => asked.rare === 3);
    const [last] = await until();
    await Promise.all(ends.map((end) => end()));
    assert.ok(asked.often > 6);
    assert.ok(last!.alive_until > first!.alive_until);
  });

  it('renews also while what it looks for fails', async () => {
    let woken = 0;
    const end = watchWork<boolean>(db, {
      look: { name: 'failing', value: sql`(1 / (select count(*) from waiting where false)) > 0` },
      isDue: () => false,
      wake: () => void woken++,
    });
    const row = rowOfProcess(db);
    // On time at least twice, which only renewals show.
    await eventually(() => woken > 1 && row.mayJudge);
    await end();
  });

  it('asks more often while another process is alive', async () => {
    let asked = 0;
    const end = watchWork<boolean>(db, { look: constant('gaps'), isDue: () => !++asked, wake });
    await eventually(() => !hasOtherProcesses(db));
    let began = performance.now();
    /** As often as alone: one more at each end of the time. */
    const asSeldom = () => (performance.now() - began) / 250 + 2;
    const restart = () => {
      asked = 0;
      began = performance.now();
    };
    restart();
    await eventually(() => asked > 4);
    assert.ok(asked <= asSeldom(), 'a process that is alone asks four times a second');
    await joinProcesses(other);
    await eventually(() => hasOtherProcesses(db));
    restart();
    await eventually(() => asked > asSeldom());
    await leaveProcesses(other);
    await eventually(() => !hasOtherProcesses(db));
    await end();
    assert.deepEqual(await db.query(sql`select from processes`), []);
  });

  it('finds a job behind a backlog of another kind that nobody here runs', async () => {
    for (let index = 0; index < 250; index++) {
      await db.transaction((tx) => enqueue(tx, { accountId: instanceAccountId, kind: 'of-nobody' }));
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const jobs = startJobs({
      db,
      logger: createLogger('silent'),
      handlers: { late: async () => resolve() },
    });
    // As another process would: nobody here is told.
    await other.query(sql`insert into jobs (account_id, id, kind, payload, run_at, max_attempts)
      values (${instanceAccountId}, gen_random_uuid(), 'late', '{}', now(), 1)`);
    await promise;
    await jobs.stop();
  });
});
