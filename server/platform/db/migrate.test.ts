import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { version } from '../../../contract/version.ts';
import { urlOf } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { migratedDatabase } from '../../../test/support/migrated-database.ts';
import { runProgram } from '../../../test/support/program.ts';
import { StartError } from '../start/start-error.ts';
import { createDb } from './db.ts';
import { migrate, readMigrations } from './migrate.ts';
import { sql } from './sql.ts';

describe('migrations', () => {
  const stage = migratedDatabase({ empty: true, poolSize: 8 });

  it('are each applied once by eight processes that start at the same time', async () => {
    const done = await Promise.all(Array.from({ length: 8 }, () => migrate(stage.db)));
    const { rows } = await stage.client.query('select name from schema_migrations order by name');
    assert.deepEqual(
      done.flat().sort(),
      rows.map((row) => row.name),
    );
    assert.deepEqual(await migrate(stage.db), []);
  });

  it('set defaults of the role in its database, unless somebody has chosen', async () => {
    const { connection } = stage.db;
    const db = createDb({ connection: { ...connection, options: '-c jit=on' }, poolSize: 1 });
    const settings = async () => {
      const { rows } = await stage.client.query(
        `select unnest(setconfig) as one from pg_db_role_setting
         where setdatabase = (select oid from pg_database where datname = current_database()) order by 1`,
      );
      return rows.map(({ one }) => one);
    };
    await migrate(db);
    assert.deepEqual(await settings(), ['idle_in_transaction_session_timeout=30s', 'jit=off']);
    await db.close();
    await stage.client.query(`do $$ begin
      execute format('alter role %I in database %I set jit = on', current_user, current_database()); end $$`);
    await migrate(stage.db);
    assert.deepEqual(await settings(), ['idle_in_transaction_session_timeout=30s', 'jit=on']);
  });

  it('refuse to go on when one was changed after it had been applied, and name it', async () => {
    const { rows } = await stage.client.query(
      `update schema_migrations set checksum = 'another' where name = (select min(name) from schema_migrations)
       returning name`,
    );
    await assert.rejects(migrate(stage.db), (error: Error) => {
      assert.ok(error instanceof StartError);
      return error.message.includes(`${rows[0].name} was changed after it had been applied`);
    });
  });

  describe('of a newer release', () => {
    const own = migratedDatabase();

    it('keep an older one from starting, and both are named', async () => {
      await own.client.query(
        `insert into schema_migrations (name, checksum, release) values ('9999_later.sql', 'x', 'v1.8.1')`,
      );
      await assert.rejects(migrate(own.db), (error: Error) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, /migrated by release v1\.8\.1: it has 9999_later\.sql/);
        assert.ok(error.message.includes(`this is ${version}`), error.message);
        assert.ok(error.message.includes(readMigrations().at(-1)!.name), error.message);
        return true;
      });
      const { code, stderr } = await runProgram({
        DATABASE_URL: urlOf(own.database.connection),
        SECRET_KEY: 'a key for tests that is long enough',
      });
      assert.equal(code, 1);
      assert.match(stderr, /could not start: The database was migrated by release v1\.8\.1/);
      assert.doesNotMatch(stderr, /\n\s+at /);
    });
  });

  describe('that wait for a lock', () => {
    const own = migratedDatabase({ poolSize: 4, clientName: 'a report at night' });
    const altering = [
      ...readMigrations(),
      { name: '9000_wide.sql', text: 'alter table accounts add column wide text', checksum: 'x' },
    ];
    const hold = () => own.client.query('begin; select count(*) from accounts');

    it('say who holds it, let others pass meanwhile, and go on when it is free', async () => {
      await hold();
      const said: string[] = [];
      const done = migrate(own.db, {
        migrations: altering,
        lockTimeoutMs: 200,
        onWait: (message) => said.push(message),
      });
      await eventually(() => said.length > 0);
      assert.match(said[0]!, /migration 9000_wide\.sql waits for a lock that is held by pid \d+/);
      assert.match(
        said[0]!,
        /a report at night, idle in transaction\): begin; select count\(\*\) from accounts/,
      );
      // Statements that queued behind the migration run between two tries.
      assert.equal((await own.db.query(sql`select 1 as one from accounts limit 1`)).length, 0);
      await own.client.query('commit');
      assert.deepEqual(await done, ['9000_wide.sql']);
    });

    it('of indexes alone stop no writer, and replace one that was interrupted', async () => {
      await own.db.transaction((tx) => tx.query(sql`create index accounts_wide on accounts (id)`));
      const text = '-- By width; and by name.\ncreate index accounts_wide on accounts (wide, name);\n';
      const migrations = [...altering, { name: '9001_index.sql', text, checksum: 'x' }];
      await own.client.query(`begin; update accounts set wide = 'x'`);
      const said: string[] = [];
      const done = migrate(own.db, {
        migrations,
        lockTimeoutMs: 400,
        lockTries: 100,
        onWait: (message) => said.push(message),
      });
      await eventually(() => said.length > 0);
      await own.db.transaction(async (tx) => {
        await tx.query(sql`set local lock_timeout = 1`);
        await tx.query(sql`update accounts set wide = 'y'`);
      });
      await own.client.query('commit');
      assert.deepEqual(await done, ['9001_index.sql']);
      const { rows } = await own.client.query(
        `select indisvalid, pg_get_indexdef(indexrelid) as text from pg_index where indexrelid = 'accounts_wide'::regclass`,
      );
      assert.equal(rows[0].indisvalid, true);
      assert.match(rows[0].text, /\(wide, name\)/);
    });

    it('give up in the end with a message that names the holder', async () => {
      await hold();
      const more = [
        ...altering,
        { name: '9001_index.sql', text: '', checksum: 'x' },
        { name: '9002_wider.sql', text: 'alter table accounts add column wider text', checksum: 'x' },
      ];
      const done = migrate(own.db, { migrations: more, lockTimeoutMs: 200, lockTries: 2 });
      await assert.rejects(done, (error: Error) => {
        assert.ok(error instanceof StartError);
        return /9002_wider\.sql could not get its locks in 2 tries.*a report at night/.test(error.message);
      });
      await own.client.query('rollback');
    });
  });
});
