/** Forward-only SQL migrations. A session-level advisory lock lets several processes start at once. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db } from './db.ts';
import { StartError } from './start-error.ts';

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
/** Whoever changes the schema holds this advisory lock. */
export const schemaLockKey = 7_231_001;
export const minimumPostgresVersion = 15;

export const createMigrationsTable = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`;

export interface MigrationStatus {
  applied: string[];
  pending: string[];
  /** Applied by a release that is newer than this one. */
  unknown: string[];
}

export async function migrate(db: Db): Promise<string[]> {
  const client = await db.connect();
  // A migration on a large table takes longer than a request may.
  const run = (text: string, values?: unknown[]) =>
    client.query({ text, values: values as unknown[], query_timeout: 3_600_000 } as never) as Promise<{
      rows: Record<string, unknown>[];
    }>;
  try {
    await checkVersion(run);
    await run('select pg_advisory_lock($1)', [schemaLockKey]);
    await run(createMigrationsTable);
    const { rows } = await run('select name, checksum from schema_migrations');
    const applied = new Map(rows.map((row) => [row.name as string, row.checksum as string]));
    const done: string[] = [];
    for (const { name, text, checksum } of readMigrations()) {
      if (applied.has(name)) {
        if (applied.get(name) !== checksum) {
          throw new StartError(
            `migration ${name} was changed after it had been applied; add a new migration instead`,
          );
        }
        continue;
      }
      await run('begin');
      try {
        await run(text);
        await run('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
        await run('commit');
      } catch (error) {
        await run('rollback');
        throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
      done.push(name);
    }
    return done;
  } finally {
    await run('select pg_advisory_unlock_all()').catch(() => {});
    client.release();
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

async function checkVersion(run: (text: string) => Promise<{ rows: Record<string, unknown>[] }>) {
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
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    });
}
