/**
 * Forward-only SQL migrations. Several processes may start at once: each migration runs under an advisory lock of its
 * own transaction, because a lock of the session does not survive a pooler such as PgBouncer.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { version } from '../../../contract/version.ts';
import { reasonOf, StartError } from '../start/start-error.ts';
import type { Db, Reader } from './db.ts';
import { buildIndexes, indexesOf } from './migrate-indexes.ts';
import { type Run, watchBlockers, withSchemaLock } from './migrate-lock.ts';
import { type AppliedMigration, findNewerProblem, kindOf } from './migration-kinds.ts';
import { sql } from './sql.ts';

export { schemaLockKey } from './migrate-lock.ts';

const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));
export const minimumPostgresVersion = 15;
/** Lock not available in time; deadlock with a running process. */
const passingErrors = ['55P03', '40P01'];

export const createMigrationsTable = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now(), release text,
  kind text, serves_from text)`;
/** Columns that earlier releases did not create. */
const laterColumns = ['release', 'kind', 'serves_from'];

export interface MigrateOptions {
  /** Receives what a migration waits for. */
  onWait?: (message: string) => void;
  /** How long a migration waits for a lock before it lets others pass and retries. */
  lockTimeoutMs?: number;
  lockTries?: number;
  /** The migrations of this release; for tests. */
  migrations?: readonly Migration[];
}

export interface MigrationStatus {
  applied: string[];
  pending: string[];
  /** Applied by a newer release. */
  unknown: string[];
}

export async function migrate(db: Db, options: MigrateOptions = {}): Promise<string[]> {
  const { onWait = () => {}, migrations = readMigrations() } = options;
  // Also if nothing is pending: a restore holds the lock while it rebuilds the tables.
  const rows = await withSchemaLock(db, onWait, async (run) => {
    await checkVersion(run);
    await prepareMigrationsTable(run);
    return selectApplied(run);
  });
  const problem = findNewerProblem(rows, migrations);
  if (problem) throw new StartError(problem);
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const done: string[] = [];
  for (const migration of migrations) {
    const { name, checksum } = migration;
    if (!applied.has(name)) {
      if (await apply(db, migration, options)) done.push(name);
    } else if (applied.get(name) !== checksum) {
      throw new StartError(
        `migration ${name} was changed after it had been applied; add a new migration instead`,
      );
    }
  }
  await setRoleDefaults(db, onWait);
  return done;
}

/** Null: this release can serve what is in the database, apart from pending migrations. */
export async function findSchemaProblem(db: Db): Promise<string | null> {
  const client = await db.connect();
  try {
    const run: Run = (text, values) => client.query(text, values as unknown[]);
    const { rows } = await run(
      `
      select attname as name from pg_attribute
      where attrelid = to_regclass('schema_migrations') and attname = any($1)`,
      [laterColumns],
    );
    if (rows.length < laterColumns.length) return null;
    return findNewerProblem(await selectApplied(run), readMigrations());
  } finally {
    client.release();
  }
}

async function selectApplied(run: Run): Promise<AppliedMigration[]> {
  const { rows } = await run(
    'select name, checksum, release, kind, serves_from as "servesFrom" from schema_migrations order by name',
  );
  return rows as unknown as AppliedMigration[];
}

export async function prepareMigrationsTable(run: Run): Promise<void> {
  await run(createMigrationsTable);
  const { rows } = await run(
    `select attname as name from pg_attribute where attrelid = 'schema_migrations'::regclass`,
  );
  const present = new Set(rows.map(({ name }) => name));
  for (const column of laterColumns) {
    if (!present.has(column))
      await run(`alter table schema_migrations add column if not exists ${column} text`);
  }
}

/**
 * Everyone who needs the table queues behind a waiting lock: so the wait is short, and repeated. A migration of nothing but
 * indexes builds them concurrently, outside a transaction: it blocks no one, and waits long enough at once. False:
 * another process has applied it.
 */
async function apply(db: Db, migration: Migration, options: MigrateOptions): Promise<boolean> {
  const { onWait = () => {}, lockTimeoutMs = 4_000, lockTries = 60 } = options;
  const { name, text } = migration;
  const indexes = indexesOf(text);
  const say = (blockers: string) => onWait(`migration ${name} waits for a lock that is held by ${blockers}`);
  let blockers = 'unknown';
  for (let tries = 1; ; tries++) {
    try {
      return await withSchemaLock(db, onWait, async (run) => {
        // Without a parameter: an open portal would keep its snapshot, which a concurrent index build waits for.
        const { rows } = await run('select name from schema_migrations');
        if (rows.some((row) => row.name === name)) return false;
        if (indexes) {
          await buildIndexes(db, indexes, {
            everyMs: lockTimeoutMs / 4,
            waitMs: lockTimeoutMs * lockTries,
            onBlocked: (found) => {
              blockers = found;
              say(found);
            },
          });
        } else {
          const { rows: own } = await run('select pg_backend_pid() as pid');
          const watch = watchBlockers(db, sql`select ${own[0]?.pid as number}::int`, {
            everyMs: lockTimeoutMs / 4,
            onBlocked: (found) => {
              blockers = found;
              say(found);
            },
          });
          try {
            await run(`set local lock_timeout = ${Math.floor(lockTimeoutMs)}`);
            await run(text);
          } finally {
            watch.stop();
          }
        }
        await noteApplied(run, migration);
        return true;
      });
    } catch (error) {
      if (!passingErrors.includes((error as { code?: string }).code ?? '')) {
        throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
      if (tries >= lockTries || indexes) {
        throw new StartError(
          `Migration ${name} could not get its locks in ${tries} tries. They are held by ${blockers}. End that work ` +
            `(select pg_terminate_backend(pid)), then start again.`,
        );
      }
    }
    await delay(Math.min(lockTimeoutMs, 1_000));
  }
}

export async function noteApplied(run: Run, { name, text, checksum }: Migration): Promise<void> {
  const { kind = null, servesFrom = null } = kindOf(text) ?? {};
  await run(
    `insert into schema_migrations (name, checksum, release, kind, serves_from) values ($1, $2, $3, $4, $5)`,
    [name, checksum, version, kind, servesFrom],
  );
}

/**
 * A process that hangs within a transaction must not hold its locks for long. Compiling (`jit`) pays for long statements;
 * on large tables it would slow down short ones a hundredfold.
 */
const roleDefaults = new Map([
  ['idle_in_transaction_session_timeout', '30s'],
  ['jit', 'off'],
]);

/**
 * Defaults of the role in this database: poolers reject them as startup parameters. A value that an administrator has
 * set stays; `jit` is on without anyone's doing, unless the role or the database has a value.
 */
async function setRoleDefaults(db: Db, onWait: (message: string) => void): Promise<void> {
  const unset = await db.query<{ name: string }>(sql`
    select name from pg_settings
    where name = 'idle_in_transaction_session_timeout' and setting = '0'
      or name = 'jit' and setting = 'on' and source not in ('user', 'database', 'database user')`);
  for (const { name } of unset) {
    const value = roleDefaults.get(name)!;
    const set = `do $$ begin
      execute format('alter role %I in database %I set ${name} = %L', current_user, current_database(), '${value}');
    end $$`;
    await withSchemaLock(db, onWait, (run) => run(set), { reconnect: true }).catch((error) =>
      onWait(
        `${name} could not be set for this role (${reasonOf(error)}): set it to ${value} on the role or the server`,
      ),
    );
  }
}

export async function migrationStatus(db: Db): Promise<MigrationStatus> {
  const client = await db.connect();
  try {
    const exists = await client.query(`select to_regclass('schema_migrations') is not null as there`);
    const names = exists.rows[0]?.there
      ? (await client.query('select name from schema_migrations order by name')).rows.map(
          (row) => row.name as string,
        )
      : [];
    const all = readMigrations().map((migration) => migration.name);
    return {
      applied: names,
      pending: all.filter((name) => !names.includes(name)),
      unknown: names.filter((name) => !all.includes(name)),
    };
  } finally {
    client.release();
  }
}

async function checkVersion(run: Run): Promise<void> {
  const { rows } = await run('show server_version_num');
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (version < minimumPostgresVersion) {
    throw new StartError(
      `PostgreSQL ${minimumPostgresVersion} or later is needed, the server is version ${version}`,
    );
  }
}

export interface Migration {
  name: string;
  text: string;
  checksum: string;
}

/** Of this release. */
export function migrationNames(): string[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort();
}

export async function appliedMigrations(db: Reader, timeoutMs: number): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(sql`select name from schema_migrations`, { timeoutMs });
  return new Set(rows.map(({ name }) => name));
}

export function readMigrations(): Migration[] {
  return migrationNames().map((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
  });
}
