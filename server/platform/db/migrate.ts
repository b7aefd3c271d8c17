/** Forward-only SQL migrations. A session-level advisory lock lets several processes start at once. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { version } from '../../../contract/version.ts';
import { StartError } from '../start/start-error.ts';
import type { Db } from './db.ts';
import { sql } from './sql.ts';

const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));
/** Held by the process that changes the schema. */
export const schemaLockKey = 7_231_001;
export const minimumPostgresVersion = 15;
const schemaLockPollMs = 200;
const sayEveryMs = 10_000;
const shownQueryLength = 200;
/** Lock not available in time; deadlock with a running process. */
const passingErrors = ['55P03', '40P01'];

export const createMigrationsTable = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now(), release text)`;

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

type Run = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

export async function migrate(db: Db, options: MigrateOptions = {}): Promise<string[]> {
  const { onWait = () => {}, migrations = readMigrations() } = options;
  const client = await db.connect();
  // A migration of a large table takes longer than a request may.
  const run: Run = (text, values) =>
    client.query({ text, values: values as unknown[], query_timeout: 3_600_000 } as never) as Promise<{
      rows: Record<string, unknown>[];
    }>;
  try {
    await checkVersion(run);
    await lockSchema(run, onWait);
    await run(createMigrationsTable);
    await addReleaseColumn(run);
    const { rows } = await run('select name, checksum, release from schema_migrations order by name');
    checkNotNewer(rows, migrations);
    const applied = new Map(rows.map((row) => [row.name as string, row.checksum as string]));
    const done: string[] = [];
    for (const migration of migrations) {
      const { name, checksum } = migration;
      if (!applied.has(name)) {
        await apply(db, run, migration, options);
        done.push(name);
      } else if (applied.get(name) !== checksum) {
        throw new StartError(
          `migration ${name} was changed after it had been applied; add a new migration instead`,
        );
      }
    }
    return done;
  } finally {
    await run('select pg_advisory_unlock_all()').catch(() => {});
    client.release();
  }
}

/** An older release would write data that the newer one does not expect. */
function checkNotNewer(rows: readonly Record<string, unknown>[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = rows.filter(({ name }) => !known.has(name as string));
  if (unknown.length === 0) return;
  const release = unknown.map((row) => row.release).findLast((value) => value !== null);
  const last = migrations.at(-1)?.name ?? 'none';
  throw new StartError(
    `The database was migrated by ${release ? `release ${release}` : 'a newer release'}: it has ` +
      `${unknown.map(({ name }) => name).join(', ')}, but this is ${version}, which knows migrations up to ${last}. ` +
      `Start ${release ? `${release} or a later release` : 'that release or a later one'}, or restore a backup.`,
  );
}

async function addReleaseColumn(run: Run): Promise<void> {
  const { rows } = await run(`
    select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'release'`);
  if (rows.length === 0) await run('alter table schema_migrations add column if not exists release text');
}

async function lockSchema(run: Run, onWait: (message: string) => void): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += schemaLockPollMs) {
    const { rows } = await run('select pg_try_advisory_lock($1) as locked', [schemaLockKey]);
    if (rows[0]?.locked) return;
    if (waitedMs % sayEveryMs === schemaLockPollMs) {
      const holders = await run(
        `select a.pid, a.application_name, a.state, a.query from pg_locks l join pg_stat_activity a using (pid)
         where l.locktype = 'advisory' and l.granted and l.objid = $1 and l.classid = 0
           and l.database = (select oid from pg_database where datname = current_database())`,
        [schemaLockKey],
      );
      onWait(`waiting for another process that changes the schema: ${describe(holders.rows)}`);
    }
    await delay(schemaLockPollMs);
  }
}

/**
 * Everyone who needs the table queues behind a waiting lock: so the wait is short, and repeated. A migration of nothing but
 * indexes builds them concurrently, outside a transaction: it stops nobody, and waits long enough at once.
 */
async function apply(
  db: Db,
  run: Run,
  migration: Migration,
  { onWait = () => {}, lockTimeoutMs = 4_000, lockTries = 60 }: MigrateOptions,
): Promise<void> {
  const { name, text } = migration;
  const indexes = indexesOf(text);
  const { rows } = await run('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid as number;
  let blockers = 'unknown';
  for (let tries = 1; ; tries++) {
    const watch = setInterval(() => {
      void findBlockers(db, pid)
        .then((found) => {
          if (found === null || found === blockers) return;
          blockers = found;
          onWait(`migration ${name} waits for a lock that is held by ${found}`);
        })
        .catch(() => {});
    }, lockTimeoutMs / 4);
    try {
      if (indexes) await buildIndexes(run, indexes, lockTimeoutMs * lockTries);
      await run('begin');
      await run(`set local lock_timeout = ${Math.floor(lockTimeoutMs)}`);
      if (!indexes) await run(text);
      await noteApplied(run, migration);
      await run('commit');
      return;
    } catch (error) {
      await run('rollback');
      if (!passingErrors.includes((error as { code?: string }).code ?? '')) {
        throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
      if (tries >= lockTries || indexes) {
        throw new StartError(
          `Migration ${name} could not get its locks in ${tries} tries. They are held by ${blockers}. End that work ` +
            `(select pg_terminate_backend(pid)), then start again.`,
        );
      }
    } finally {
      clearInterval(watch);
    }
    await delay(Math.min(lockTimeoutMs, 1_000));
  }
}

const noteApplied = (run: Run, { name, checksum }: Migration) =>
  run('insert into schema_migrations (name, checksum, release) values ($1, $2, $3)', [
    name,
    checksum,
    version,
  ]);

/** Null: the migration does something else too. */
function indexesOf(text: string): { name: string; build: string }[] | null {
  const statements = text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const indexes = statements.flatMap((one) => {
    const [, unique = '', name, on] = /^create (unique )?index (\w+) (on .*)$/is.exec(one) ?? [];
    return name ? [{ name, build: `create ${unique}index concurrently ${name} ${on}` }] : [];
  });
  return indexes.length === statements.length && indexes.length > 0 ? indexes : null;
}

/** One that was interrupted has left an invalid index. */
async function buildIndexes(
  run: Run,
  indexes: readonly { name: string; build: string }[],
  lockTimeoutMs: number,
): Promise<void> {
  await run(`set lock_timeout = ${Math.floor(lockTimeoutMs)}`);
  try {
    for (const { name, build } of indexes) {
      await run(`drop index concurrently if exists ${name}`);
      await run(build);
    }
  } finally {
    await run('reset lock_timeout');
  }
}

/** Null: nothing blocks it. */
async function findBlockers(db: Db, pid: number): Promise<string | null> {
  const rows = await db.query<Record<string, unknown>>(sql`
    select pid, application_name, state, query from pg_stat_activity where pid = any(pg_blocking_pids(${pid}))`);
  return rows.length === 0 ? null : describe(rows);
}

function describe(rows: readonly Record<string, unknown>[]): string {
  const each = rows.map(({ pid, application_name, state, query }) => {
    const text = String(query ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, shownQueryLength);
    return `pid ${pid} (${application_name || 'unnamed application'}, ${state ?? 'unknown state'}): ${text}`;
  });
  return each.join('; ') || 'a connection that has just ended';
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

export function readMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    });
}
