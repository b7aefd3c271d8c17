/**
 * One throw-away PostgreSQL for a whole test run and a separate database, cloned from a migrated template, for each
 * test file. `scripts/test.ts` starts the server and sets TEST_POSTGRES; a file that is run alone starts its own.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createDb } from '../../server/platform/db/db.ts';
import { migrate } from '../../server/platform/db/migrate.ts';
import { startEmbeddedPostgres } from '../../server/platform/embedded-postgres/embedded-postgres.ts';
import { copyFolder } from './cluster.ts';
import { newFolder } from './scratch.ts';

export type Connection = { host: string; port: number; user: string; database: string; password?: string };

export interface TestServer {
  connection: Connection;
  stop(): Promise<void>;
}

export interface TestDatabase {
  connection: Connection;
  drop(): Promise<void>;
}

const template = 'talkboard_template';
const silent = { info() {}, warn() {}, error() {} };

/** The fault tests cover durability, with their own servers; here it only costs time. */
const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Short-lived databases: a worker would begin with another one all the time.
  autovacuum: 'off',
  // Each process plans a statement once: with values it would be planned five times before that.
  plan_cache_mode: 'force_generic_plan',
  max_connections: '600',
};

/** Nothing counts the rows of these databases, and without this the planner takes the account for enough to find a row. */
const fewAccounts = `
  select pg_restore_attribute_stats('schemaname', 'public', 'relname', c.relname::text, 'attname', 'account_id',
    'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
  where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`;

/** `copyTo`: a folder for a copy of the server's files, see cluster.ts. */
export async function startTestServer({ copyTo }: { copyTo?: string } = {}): Promise<TestServer> {
  const dataDir = newFolder('talkboard-test-');
  const start = () => startEmbeddedPostgres({ dataDir, logger: silent, settings: fastSettings });
  let server = await start();
  const db = createDb({ connection: server.connection, poolSize: 2 });
  await migrate(db);
  await db.close();
  await query(server.connection, fewAccounts);
  if (copyTo) {
    await server.stop();
    copyFolder(join(dataDir, 'postgres'), copyTo);
    server = await start();
  }
  await query(
    server.connection,
    `create database ${template} template ${server.connection.database} strategy file_copy`,
  );
  return {
    connection: server.connection,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** `empty`: without our tables, like a database that the service has never seen. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const shared = process.env.TEST_POSTGRES;
  const own = shared ? null : await startTestServer();
  const connection = own ? own.connection : (JSON.parse(shared!) as Connection);
  // With the process, by which scripts/test-costs.ts finds whom the server works for.
  const name = `test_${process.pid}_${randomUUID().replaceAll('-', '')}`;
  const source = empty ? 'template1' : template;
  await query(connection, `create database ${name} template ${source} strategy file_copy`);
  return {
    connection: { ...connection, database: name },
    async drop() {
      if (own) await own.stop();
      else await dropDatabase(connection, name);
    },
  };
}

/** Only a superuser can force autovacuum to end; without force, the server cancels it itself. */
async function dropDatabase(connection: Connection, name: string): Promise<void> {
  try {
    await query(connection, `drop database ${name} with (force)`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    await query(connection, `drop database ${name}`);
  }
}

/** In the format of DATABASE_URL. */
export function urlOf({ user, database, host }: Connection): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}`;
}

async function query(connection: Connection, text: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
