import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createDb, type Db } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { badRequest, unavailable } from '../http/errors.ts';
import { newId } from '../ids.ts';
import { createLogger } from '../logger.ts';
import { rowOfProcess, watchWork } from './due-work.ts';
import { enqueue, instanceAccountId, JobReleased, startJobs } from './jobs.ts';
import { claimed, createClaims, type LeasedTable, startTakeOver } from './leases.ts';
import { writeSplit } from './split-batch.ts';

interface Row {
  id: string;
  name: string;
}

const logger = createLogger('silent');
const work: LeasedTable = {
  name: sql`work`,
  holder: sql`holder`,
  isHeld: sql`t.holder is not null`,
  whenClaimed: [sql`attempts = t.attempts + 1`],
  whenFreed: [sql`attempts = t.attempts - 1`],
};

describe('leased work', () => {
  let database: TestDatabase;
  let db: Db;
  const ends: (() => Promise<void>)[] = [];
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 8 });
    await db.query(sql`
      create table work (id uuid primary key default gen_random_uuid(), name text, holder uuid, attempts int default 0,
        account_id uuid not null default gen_random_uuid())`);
    await db.query(sql`
      create trigger guard before update on work for each row execute function guard_account_row('id')`);
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await db.query(sql`delete from work`);
    await db.query(sql`delete from jobs`);
    await db.query(sql`delete from processes`);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const add = (...names: string[]) => db.query(sql`insert into work (name) select unnest(${names}::text[])`);
  const rows = () => db.query(sql`select name, holder, attempts from work order by name`);
  /** As a process of its own. */
  const newProcess = (): Db => {
    const own = { ...db };
    const look = { name: 'nothing', value: sql`false` };
    ends.push(watchWork<boolean>(own, { look, isDue: (isFound) => isFound, wake: () => {} }));
    return own;
  };
  const takeDue = async (by: Db, token: string, atMost = 2) => {
    const due = sql`select ctid as place from work where holder is null order by name limit ${atMost}
      for update skip locked`;
    return by.autocommit<Row>(sql`
      with ${claimed(work, token, due, sql`t.id, t.name`)} select * from claimed order by name`);
  };

  it('is claimed by one process, and what it gives up is as if it had not been claimed', async () => {
    await add('a', 'b', 'c');
    const [one, other] = [newProcess(), newProcess()];
    const [own, others] = [createClaims<Row>(one, work), createClaims<Row>(other, work)];
    const { rows: first, lease } = await own.claim((token) => takeDue(one, token));
    const { rows: second } = await others.claim((token) => takeDue(other, token));
    assert.deepEqual(
      [first, second].map((taken) => taken.map(({ name }) => name)),
      [['a', 'b'], ['c']],
    );
    await own.giveUp([first[0]!]);
    assert.deepEqual(await rows(), [
      { name: 'a', holder: lease.token, attempts: 1 },
      { name: 'b', holder: null, attempts: 0 },
      { name: 'c', holder: rowOfProcess(other).id, attempts: 1 },
    ]);
  });

  it('that a claim took whose response was lost is freed by the next one, and nothing else', async () => {
    await add('a', 'b', 'c', 'd');
    const own = newProcess();
    const claims = createClaims<Row>(own, work);
    const { rows: kept, lease } = await claims.claim((token) => takeDue(own, token));
    const lost = claims.claim(async (token) => {
      await takeDue(own, token);
      throw unavailable('the response was lost');
    });
    await assert.rejects(lost);
    assert.equal(claims.isInDoubt, true);
    // Released, as far as its loop knows.
    claims.end(kept[0]!, true);
    const { rows: again } = await claims.claim((token) => takeDue(own, token));
    assert.deepEqual(
      again.map(({ name }) => name),
      ['a', 'c'],
    );
    assert.deepEqual(await rows(), [
      { name: 'a', holder: lease.token, attempts: 1 },
      { name: 'b', holder: lease.token, attempts: 1 },
      { name: 'c', holder: lease.token, attempts: 1 },
      { name: 'd', holder: null, attempts: 0 },
    ]);
  });

  it('of a process whose row has expired is free, and so is that of one that nobody knows', async () => {
    await add('dead', 'unknown');
    const dead = newId();
    await db.query(sql`insert into processes (id, alive_until) values (${dead}, now() + interval '1 hour')`);
    await db.query(sql`update work set holder = ${dead}, attempts = 1 where name = 'dead'`);
    await db.query(sql`update work set holder = ${newId()}, attempts = 1 where name = 'unknown'`);
    const takeOver = startTakeOver({ db: newProcess(), logger }, [work]);
    ends.push(takeOver.stop);
    const free = { holder: null, attempts: 0 };
    await eventually(async () => (await rows()).filter(({ holder }) => holder === null).length === 1);
    assert.deepEqual(await rows(), [
      { name: 'dead', holder: dead, attempts: 1 },
      { name: 'unknown', ...free },
    ]);
    await db.query(sql`update processes set alive_until = now() where id = ${dead}`);
    await eventually(async () => (await rows()).every(({ holder }) => holder === null));
    assert.deepEqual(await rows(), [
      { name: 'dead', ...free },
      { name: 'unknown', ...free },
    ]);
    assert.deepEqual(await db.query(sql`select from processes where id = ${dead}`), []);
  });

  it('of an account that has moved to another cell does not stop the rest from becoming free', async () => {
    await add('moved', 'own');
    const dead = newId();
    await db.query(sql`insert into processes (id, alive_until) values (${dead}, now())`);
    await db.query(sql`update work set holder = ${dead}, attempts = 1`);
    await db.query(sql`
      insert into account_fences (account_id, move_id, holder, state, other_cell)
      select account_id, ${newId()}, ${newId()}, 'moved', 'eu2' from work where name = 'moved'`);
    const takeOver = startTakeOver({ db: newProcess(), logger }, [work]);
    ends.push(takeOver.stop);
    await eventually(async () => (await rows()).some(({ holder }) => holder === null));
    await db.query(sql`delete from account_fences`);
    assert.deepEqual(await rows(), [
      { name: 'moved', holder: dead, attempts: 1 },
      { name: 'own', holder: null, attempts: 0 },
    ]);
  });

  it('is not looked for before the row of the process is locked', async () => {
    await add('a');
    const own = newProcess();
    const { lease } = await createClaims<Row>(own, work).claim((token) => takeDue(own, token));
    await db.query(sql`update work set holder = null`);
    let late: Promise<Row[]> | undefined;
    await db.transaction(async (tx) => {
      await tx.query(sql`select from processes where id = ${lease.token} for update`);
      late = takeDue(own, lease.token, 1);
      await eventually(
        async () =>
          (
            await db.query(sql`
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%living%'`)
          ).length > 0,
      );
      assert.equal(
        (await db.transaction((other) => other.query(sql`select from work for update skip locked`))).length,
        1,
      );
    });
    assert.equal((await late!).length, 1);
  });

  it('of a process whose row was deleted is aborted, and it claims with another one', async () => {
    await add('a');
    const own = newProcess();
    const claims = createClaims<Row>(own, work);
    const { lease } = await claims.claim((token) => takeDue(own, token));
    assert.equal(lease.signal.aborted, false);
    await db.query(sql`delete from processes where id = ${lease.token}`);
    await eventually(() => lease.signal.aborted);
    const next = await claims.claim((token) => takeDue(own, token));
    assert.notEqual(next.lease.token, lease.token);
    assert.equal(next.lease.signal.aborted, false);
  });

  it('a job whose release is lost runs again all the same', async () => {
    let runs = 0;
    let isLost = false;
    const isRelease = (statement: Sql) => statement.strings.join('').includes('last_error = coalesce');
    const unreliable: Db = {
      ...db,
      transaction: (run) =>
        db.transaction((tx) =>
          run(
            Object.assign(Object.create(tx), {
              query: (statement: Sql) => {
                if (isLost || !isRelease(statement)) return tx.query(statement);
                isLost = true;
                throw unavailable('the database is away');
              },
            }),
          ),
        ),
    };
    await db.transaction((tx) => enqueue(tx, { accountId: instanceAccountId, kind: 'twice' }));
    const done = Promise.withResolvers<void>();
    const jobs = startJobs({
      db: unreliable,
      logger,
      handlers: {
        async twice() {
          if (++runs === 1) throw new JobReleased('not now');
          done.resolve();
        },
      },
    });
    ends.push(jobs.stop);
    await done.promise;
    assert.equal(isLost, true);
  });
});

describe('a batch', () => {
  const written: string[][] = [];
  const refused: string[] = [];
  const write = async (items: readonly string[]) => {
    if (items.includes('away')) throw unavailable('the database is away');
    if (items.includes('bad')) throw badRequest('a bad one');
    written.push([...items]);
  };
  const refuse = async (item: string) => void refused.push(item);

  it('that is refused is written one by one; one that fails for a moment is thrown', async () => {
    await writeSplit(['a', 'b'], write, refuse);
    await writeSplit(['c', 'bad', 'd'], write, refuse);
    await assert.rejects(writeSplit(['e', 'away'], write, refuse), /the database is away/);
    await writeSplit([], write, refuse);
    assert.deepEqual([written, refused], [[['a', 'b'], ['c'], ['d']], ['bad']]);
  });
});
