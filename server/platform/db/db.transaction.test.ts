import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { AppError, badRequest } from '../http/errors.ts';
import { createDb, type Db } from './db.ts';
import { sql } from './sql.ts';

describe('transactions', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 4 });
    await db.transaction((tx) => tx.query(sql`create table things (id int primary key, value int not null)`));
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const insert = (id: number, value = 0) => sql`insert into things (id, value) values (${id}, ${value})`;
  const idsOf = async (from: number) =>
    (await db.query<{ id: number }>(sql`select id from things where id >= ${from} order by id`)).map(
      (row) => row.id,
    );
  const hasCode = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

  it('a failed statement fails the transaction, also for a rule that has not seen it, and nothing is written', async () => {
    const afterwards: string[] = [];
    const unseen = db.transaction(async (tx) => {
      tx.afterCommit(() => afterwards.push('told'));
      await tx.query(insert(11));
      void tx.query(insert(11));
    });
    await assert.rejects(unseen, hasCode('23505'));
    const caught = db.transaction(async (tx) => {
      await tx.query(insert(12));
      await tx.query(insert(12)).catch(() => {});
    });
    await assert.rejects(caught, hasCode('23505'));
    const together = db.transaction((tx) => Promise.all([12, 12, 13].map((id) => tx.query(insert(id)))));
    await assert.rejects(together, hasCode('23505'));
    assert.deepEqual(await idsOf(11), []);
    assert.deepEqual(afterwards, []);
  });

  it('what follows the commit and fails fails neither the caller nor what else follows', async () => {
    const failures: unknown[] = [];
    const afterwards: string[] = [];
    const own = createDb({
      connection: db.connection,
      poolSize: 1,
      onFollowUpError: (error) => failures.push(error),
    });
    const broken = new Error('a listener is broken');
    own.onWake('broken', () => {
      throw broken;
    });
    await own.transaction(async (tx) => {
      tx.wake('broken');
      tx.afterCommit(() => afterwards.push('told'));
      await tx.query(insert(14));
    });
    await own.close();
    assert.deepEqual([failures, afterwards, await idsOf(14)], [[broken], ['told'], [14]]);
  });

  it('a savepoint undoes what was written inside it, and the transaction goes on', async () => {
    await db.transaction(async (tx) => {
      await tx.query(insert(21));
      const failed = tx.savepoint(async () => {
        await Promise.all([tx.query(insert(22)), tx.query(insert(21)), tx.query(insert(23))]);
      });
      await assert.rejects(failed, hasCode('23505'));
      const refused = tx.savepoint(async () => {
        await tx.query(insert(23));
        throw badRequest('no');
      });
      await assert.rejects(refused, AppError);
      await tx.savepoint(() => tx.query(insert(24)));
    });
    assert.deepEqual(await idsOf(21), [21, 24]);
  });

  it('a deadlock is tried again until both have written', async () => {
    await db.transaction(async (tx) => {
      await tx.query(insert(31));
      await tx.query(insert(32));
    });
    const raise = (id: number) => sql`update things set value = value + 1 where id = ${id}`;
    const bothLocked = Promise.withResolvers<void>();
    let locked = 0;
    const run = (first: number, second: number) =>
      db.transaction(async (tx) => {
        await tx.query(raise(first));
        if (++locked === 2) bothLocked.resolve();
        await bothLocked.promise;
        await tx.query(raise(second));
      });
    await Promise.all([run(31, 32), run(32, 31)]);
    const rows = await db.query<{ value: number }>(sql`select value from things where id in (31, 32)`);
    assert.deepEqual(
      rows.map((row) => row.value),
      [2, 2],
    );
  });

  it('a conflict that does not end is a 503', async () => {
    let tries = 0;
    const conflicting = db.transaction(async (tx) => {
      tries++;
      await tx.query(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
    });
    await assert.rejects(conflicting, (error) => error instanceof AppError && error.status === 503);
    assert.ok(tries > 1);
  });

  it('a conflict that ends at the seventh try is nobody’s error, in a statement that commits itself either', async () => {
    await db.transaction((tx) => tx.query(sql`create sequence tries`));
    const conflicting = sql`do $$ begin
      if nextval('tries') % 7 <> 0 then raise exception 'again' using errcode = '40001'; end if; end $$`;
    await db.transaction((tx) => tx.query(conflicting));
    await db.autocommit(conflicting);
    assert.equal(
      (await db.query<{ tries: number }>(sql`select last_value as tries from tries`))[0]!.tries,
      14,
    );
  });

  it('a transaction begins with its first statement: a rule that writes nothing takes no connection', async () => {
    const taken = await Promise.all(Array.from({ length: 4 }, () => db.connect()));
    await assert.rejects(
      db.transaction(async () => {
        throw badRequest('no');
      }),
      (error) => error instanceof AppError && error.status === 400,
    );
    assert.equal(await db.transaction(async () => 'idle'), 'idle');
    for (const client of taken) client.release();
  });

  it('caches are told after the commit, not after a rollback, and not of an undone savepoint', async () => {
    const dropped: string[] = [];
    db.onInvalidate('things', (key) => dropped.push(key));
    db.onInvalidate('others', () => assert.fail('another topic'));
    await db.transaction(async (tx) => {
      tx.invalidate('things', 'kept');
      await tx
        .savepoint(async () => {
          tx.invalidate('things', 'undone');
          throw badRequest('no');
        })
        .catch(() => {});
      assert.deepEqual(dropped, []);
    });
    const failed = db.transaction(async (tx) => {
      tx.invalidate('things', 'rolled back');
      throw badRequest('no');
    });
    await assert.rejects(failed, AppError);
    assert.deepEqual(dropped, ['kept']);
  });

  it('workers are woken after the commit, and only those of the same database', async () => {
    const woken: (string | undefined)[] = [];
    const end = db.onWake('work', (kind) => woken.push(kind));
    db.onWake('other work', () => assert.fail('other work'));
    const elsewhere = createDb({ connection: database.connection });
    elsewhere.onWake('work', () => assert.fail('another database'));
    await db.transaction(async (tx) => {
      tx.wake('work', 'one');
      assert.deepEqual(woken, []);
    });
    const failed = db.transaction(async (tx) => {
      tx.wake('work', 'rolled back');
      throw badRequest('no');
    });
    await assert.rejects(failed, AppError);
    db.wake('work');
    end();
    db.wake('work', 'nobody listens');
    assert.deepEqual(woken, ['one', undefined]);
    await elsewhere.close();
  });

  it('every commit is reported, whatever it wrote; a rollback and a read are not', async () => {
    let commits = 0;
    const forget = db.onCommit(() => void commits++);
    await db.transaction((tx) => tx.query(insert(-1)));
    await db.autocommit(insert(-3));
    assert.equal(commits, 2);
    await db.autocommit(insert(-7), { isSilent: true });
    assert.equal(commits, 2);
    await assert.rejects(db.transaction((tx) => tx.query(insert(-1))));
    await assert.rejects(db.autocommit(insert(-1)));
    await db.query(sql`select 1`);
    assert.equal(commits, 2);
    forget();
    await db.autocommit(insert(-4));
    assert.equal(commits, 2);
  });

  it('a connection that is cut while in use fails its request with a 503 and nothing else', async () => {
    const cut = db.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await db.query(sql`select pg_terminate_backend(${row!.pid})`);
      // No query is running when the connection breaks: the driver can only report it with its event.
      const gone = sql`select 1 from pg_stat_activity where pid = ${row!.pid}`;
      while ((await db.query(gone)).length > 0);
      await tx.query(insert(91));
    });
    await assert.rejects(cut, (error) => error instanceof AppError && error.status === 503);
    assert.deepEqual(await idsOf(91), []);
  });
});
