/**
 * `talkboard doctor --database`: tries what the service needs from a PostgreSQL-compatible engine. Everything happens
 * in a schema of its own, which is dropped at the end.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { requireServer } from '../../server/platform/db/database-check.ts';
import { minimumPostgresVersion, readMigrations } from '../../server/platform/db/migrate.ts';
import { tryPreparedStatements } from '../../server/platform/db/pooler-check.ts';
import { reasonOf } from '../../server/platform/start/start-error.ts';
import type { Finding } from './doctor.checks.ts';

type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

interface Check {
  name: string;
  neededFor: string;
  /** Throws with what is wrong. */
  run(one: Query, other: Query, connection: pg.ClientConfig): Promise<void>;
}

const withinMs = 60_000;

function require(holds: unknown, problem: string): asserts holds {
  if (!holds) throw new Error(problem);
}

const inTransaction = async (query: Query, work: () => Promise<void>) => {
  await query('begin');
  try {
    await work();
  } finally {
    await query('rollback');
  }
};

/** Tables are written without their schema's name below: it is replaced. */
const checksIn = (schema: string): Check[] => [
  {
    name: 'version',
    neededFor: 'everything',
    async run(one) {
      const [row] = await one('show server_version_num');
      const major = Math.floor(Number(row?.server_version_num) / 10_000);
      require(major >=
        minimumPostgresVersion, `it is ${major}, and ${minimumPostgresVersion} or later is needed`);
    },
  },
  {
    name: 'transaction_locks',
    neededFor: 'migrations, conversations and unique contacts',
    async run(one, other) {
      await inTransaction(one, async () => {
        await one('select pg_advisory_xact_lock(hashtextextended($1, 0))', [schema]);
        const text = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked';
        await inTransaction(other, async () => {
          const [row] = await other(text, [schema]);
          require(row?.locked === false, 'two transactions held the same lock');
        });
      });
      await inTransaction(other, async () => {
        const [row] = await other('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked', [
          schema,
        ]);
        require(row?.locked === true, 'the lock was not released with its transaction');
      });
    },
  },
  {
    name: 'skip_locked',
    neededFor: 'jobs, webhook deliveries and outbound messages',
    async run(one, other) {
      await one(`insert into ${schema}.queue (id) values (1), (2)`);
      await inTransaction(one, async () => {
        await one(`select id from ${schema}.queue where id = 1 for update`);
        await inTransaction(other, async () => {
          const rows = await other(`select id from ${schema}.queue order by id for update skip locked`);
          require(rows.length === 1 && rows[0]?.id === 2, 'a locked row was not skipped');
        });
      });
    },
  },
  {
    name: 'writing_ctes',
    neededFor: 'creating records and sending messages in one statement',
    async run(one) {
      const [row] = await one(`
        with made as (insert into ${schema}.queue (id) values (3) on conflict (id) do nothing returning id),
          noted as (insert into ${schema}.noted (id) select id from made returning id)
        select count(*)::int as count from noted`);
      require(row?.count === 1, 'a statement that inserts into two tables did not');
    },
  },
  {
    name: 'transition_tables',
    neededFor: 'live updates',
    async run(one) {
      await one(`create function ${schema}.note() returns trigger language plpgsql as $$
        begin insert into ${schema}.noted (id) select id from changed; return null; end $$`);
      await one(`create trigger note after update on ${schema}.queue referencing new table as changed
        for each statement execute function ${schema}.note()`);
      await one(`update ${schema}.queue set id = id + 100 where id in (1, 2)`);
      const [row] = await one(`select count(*)::int as count from ${schema}.noted where id > 100`);
      require(row?.count === 2, 'a trigger did not see the changed rows of its statement');
    },
  },
  {
    name: 'snapshots',
    neededFor: 'search that never misses a change',
    async run(one, other) {
      await inTransaction(one, async () => {
        const [mine] = await one('select pg_current_xact_id()::text as id');
        const [seen] = await other(
          `select pg_visible_in_snapshot($1::xid8, pg_current_snapshot()) as visible,
             $1::xid8 >= pg_snapshot_xmin(pg_current_snapshot()) as later`,
          [mine?.id],
        );
        require(seen?.visible === false &&
          seen.later === true, 'an open transaction looked committed to another');
      });
      const [column] = await one(`
        insert into ${schema}.noted (id) values (500) returning changed_xid = pg_current_xact_id() as same`);
      require(column?.same === true, 'a column did not get the id of its transaction');
    },
  },
  {
    name: 'pipelining',
    neededFor: 'transactions without extra round trips',
    async run(_one, _other, connection) {
      const client = new pg.Client({
        ...connection,
        pipeline: true,
        query_timeout: withinMs,
      } as pg.ClientConfig);
      client.on('error', () => {});
      await client.connect();
      try {
        const results = await Promise.all([
          client.query('begin'),
          client.query({ name: 'talkboard_check_a', text: 'select $1::int as n', values: [1] }),
          client.query({ name: 'talkboard_check_b', text: 'select $1::int as n', values: [2] }),
          client.query('commit'),
        ]);
        const numbers = results.slice(1, 3).map(({ rows }) => rows[0]?.n);
        require(numbers.join() === '1,2', 'statements that were sent together got wrong results');
      } finally {
        await client.end().catch(() => {});
      }
    },
  },
  {
    name: 'prepared_statements',
    neededFor: 'every query (PgBouncer needs 1.21 or later and max_prepared_statements)',
    run: (_one, _other, connection) => tryPreparedStatements(connection, withinMs),
  },
  {
    name: 'settings_in_transactions',
    neededFor: 'timeouts and reports',
    async run(one) {
      await inTransaction(one, async () => {
        await one(`select set_config('lock_timeout', '1234ms', true)`);
        const [row] = await one('show lock_timeout');
        require(row?.lock_timeout === '1234ms', 'set_config had no effect in its transaction');
      });
      const [row] = await one('show lock_timeout');
      require(row?.lock_timeout !== '1234ms', 'a setting outlived its transaction');
    },
  },
  {
    name: 'concurrent_indexes',
    neededFor: 'migrations of large tables beside the service',
    async run(one) {
      await one(`create index concurrently on ${schema}.queue (id)`);
    },
  },
  {
    name: 'migrations',
    neededFor: 'every table, index and function of this release',
    async run(one) {
      await inTransaction(one, async () => {
        await one(`set local search_path = ${schema}`);
        for (const { name, text } of readMigrations()) {
          await one(text).catch((error) => {
            throw new Error(`${name}: ${reasonOf(error)}`);
          });
        }
      });
    },
  },
];

/** One finding per check. */
export async function checkEngine(given: pg.ClientConfig): Promise<Record<string, Finding>> {
  const connection = { ...(await requireServer(given)), application_name: 'talkboard-cli' };
  const clients = [0, 1].map(() => new pg.Client({ ...connection, query_timeout: withinMs }));
  const [one, other] = clients.map(
    (client): Query =>
      async (text, values) =>
        (await client.query(text, values)).rows ?? [],
  ) as [Query, Query];
  const schema = `talkboard_check_${randomBytes(6).toString('hex')}`;
  const findings: Record<string, Finding> = {};
  try {
    for (const client of clients) {
      client.on('error', () => {});
      await client.connect();
    }
    const problem = await createSchema(one, schema).catch(reasonOf);
    if (problem) {
      const advice = 'The role needs the right to create a schema and tables with a column of the type xid8.';
      return { scratch_schema: { status: 'fail', message: problem, advice } };
    }
    for (const { name, neededFor, run } of checksIn(schema)) {
      findings[name] = await run(one, other, connection).then(
        (): Finding => ({ status: 'ok', message: `works; needed for ${neededFor}` }),
        (error): Finding => ({
          status: 'fail',
          message: reasonOf(error),
          advice: `Needed for ${neededFor}.`,
        }),
      );
    }
    return findings;
  } finally {
    await one(`drop schema if exists ${schema} cascade`).catch(() => {});
    for (const client of clients) await client.end().catch(() => {});
  }
}

async function createSchema(query: Query, schema: string): Promise<null> {
  await query(`create schema ${schema}`);
  await query(
    `create table ${schema}.queue (id int primary key, twice int generated always as (id * 2) stored)`,
  );
  await query(`create unlogged table ${schema}.noted (
    id int not null, changed_xid xid8 not null default pg_current_xact_id())`);
  return null;
}
