import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { AppError, badRequest } from '../http/errors.ts';
import { createDb, type Db, type Tx } from './db.ts';
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

  it('what was sent is committed with the rest', async () => {
    await db.transaction(async (tx) => {
      tx.send(insert(1));
      await tx.query(insert(2));
      tx.send(insert(3));
    });
    assert.deepEqual(await idsOf(1), [1, 2, 3]);
  });

  it('what was sent and failed fails the transaction with its own error, and nothing is written', async () => {
    const afterwards: string[] = [];
    const last = db.transaction(async (tx) => {
      tx.afterCommit(() => afterwards.push('told'));
      await tx.query(insert(11));
      tx.send(insert(11));
    });
    await assert.rejects(last, hasCode('23505'));
    const followed = db.transaction(async (tx) => {
      tx.send(insert(12));
      tx.send(insert(12));
      await tx.query(insert(13));
    });
    await assert.rejects(followed, hasCode('23505'));
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

  it('the last statement of a part in a savepoint does not commit the rule', async () => {
    const failed = db.runRule(async (tx) => {
      await tx.savepoint(() => tx.queryLast(insert(15)));
      await tx.query(insert(16));
      throw badRequest('no');
    });
    await assert.rejects(failed, AppError);
    assert.deepEqual(await idsOf(15), []);
    await db.runRule(async (tx) => {
      await tx.savepoint(() => tx.queryLast(insert(15)));
      await tx.queryLast(insert(16));
    });
    assert.deepEqual(await idsOf(15), [15, 16]);
    await db.transaction((tx) => tx.query(sql`delete from things where id in (15, 16)`));
  });

  it('a savepoint undoes what was sent inside it, and the transaction goes on', async () => {
    await db.transaction(async (tx) => {
      tx.send(insert(21));
      const failed = tx.savepoint(async () => {
        tx.send(insert(22));
        tx.send(insert(21));
      });
      await assert.rejects(failed, hasCode('23505'));
      const refused = tx.savepoint(async () => {
        tx.send(insert(23));
        throw badRequest('no');
      });
      await assert.rejects(refused, AppError);
      await tx.savepoint(async () => tx.send(insert(24)));
    });
    assert.deepEqual(await idsOf(21), [21, 24]);
  });

  it('a deadlock is tried again until both have written', async () => {
    await db.transaction(async (tx) => {
      tx.send(insert(31));
      tx.send(insert(32));
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

  it('a rule begins with its first statement: one that writes nothing takes no connection', async () => {
    const idle = await db.runRule(async (tx) => tx.hasBegun);
    assert.equal(idle, false);
    await assert.rejects(
      db.runRule(async () => {
        throw badRequest('no');
      }),
      AppError,
    );
    const begun = await db.runRule(async (tx) => {
      tx.send(insert(51));
      return tx.hasBegun;
    });
    assert.equal(begun, true);
    assert.deepEqual(await idsOf(51), [51]);
  });

  it('a rule commits with its last query, a transaction does not', async () => {
    const afterLast = async (tx: Tx, id: number) => {
      await tx.queryLast(insert(id));
      return (await idsOf(id)).includes(id);
    };
    assert.equal(await db.runRule((tx) => afterLast(tx, 61)), true);
    assert.equal(await db.transaction((tx) => afterLast(tx, 62)), false);
    assert.deepEqual(await idsOf(61), [61, 62]);
  });

  it('a rule is committed elsewhere only while its own transaction is unused and holds nothing else', async () => {
    const elsewhere = async () => 'elsewhere';
    assert.equal(await db.runRule((tx) => tx.commitElsewhere(elsewhere)), 'elsewhere');
    assert.equal(await db.transaction((tx) => tx.commitElsewhere(elsewhere)), null);
    const used = db.runRule(async (tx) => {
      await tx.query(insert(71));
      return tx.commitElsewhere(elsewhere);
    });
    assert.equal(await used, null);
    const declined = db.runRule(async (tx) => {
      assert.equal(await tx.commitElsewhere(async () => null), null);
      await tx.query(insert(72));
    });
    await declined;
    assert.deepEqual(await idsOf(71), [71, 72]);
    const both = db.runRule(async (tx) => {
      await tx.commitElsewhere(elsewhere);
      await tx.query(insert(73));
    });
    await assert.rejects(both, /committed elsewhere/);
    assert.deepEqual(await idsOf(73), []);
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
    await db.runRule((tx) => tx.queryLast(insert(-2)));
    await db.autocommit(insert(-3));
    assert.equal(commits, 3);
    await db.runRule((tx) => tx.commitElsewhere(() => db.transaction((shared) => shared.query(insert(-6)))));
    // Of the shared transaction and of the rule.
    assert.equal(commits, 5);
    await db.autocommit(insert(-7), { isSilent: true });
    assert.equal(commits, 5);
    commits = 3;
    await assert.rejects(db.transaction((tx) => tx.query(insert(-1))));
    await assert.rejects(db.autocommit(insert(-1)));
    await db.query(sql`select 1`);
    assert.equal(commits, 3);
    forget();
    await db.autocommit(insert(-4));
    assert.equal(commits, 3);
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
