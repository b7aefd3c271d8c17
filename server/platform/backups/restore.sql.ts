/** Rebuilds the tables from a backup in one transaction: until its commit the database is unchanged. */
import pg from 'pg';
import { noteApplied, prepareMigrationsTable, readMigrations, schemaLockKey } from '../db/migrate.ts';
import { BackupError } from './backup-error.ts';
import { connectForCopy, listTables, readRows, setTextForms, type TableShape } from './snapshot.sql.ts';

export interface RestoreTarget {
  /** Connections of running services. */
  countServices(): Promise<number>;
  isEmpty(): Promise<boolean>;
  appliedMigrations(): Promise<string[]>;
  begin(): Promise<void>;
  /** Drops our tables and functions, never anyone else's, and creates them as of these migrations. */
  rebuild(names: string[]): Promise<void>;
  /** `rows`: the texts of JSON arrays, one value per column. */
  insert(table: TableShape, rows: string[]): Promise<void>;
  setSequence(name: string, value: string): Promise<void>;
  /** What is in it now, in batches as they were inserted. */
  readBack(table: TableShape): AsyncGenerator<string[]>;
  /** The backup was being made when it was read: what was begun there is not continued here. */
  endBackups(now: number): Promise<void>;
  commit(): Promise<void>;
  close(): Promise<void>;
}

const quote = pg.escapeIdentifier;

export async function openRestoreTarget(connection: pg.ClientConfig): Promise<RestoreTarget> {
  const client = await connectForCopy(connection);
  const migrations = readMigrations();
  const types = new Map<string, Map<string, string>>();
  const run = (text: string, values?: unknown[]) => client.query(text, values);
  return {
    async countServices() {
      const { rows } = await client.query(`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name = 'talkboard' and pid <> pg_backend_pid()`);
      return rows[0].count;
    },
    async isEmpty() {
      for (const { name } of await listTables(client)) {
        const { rows } = await client.query(`select exists (select from ${quote(name)}) as filled`);
        if (rows[0].filled) return false;
      }
      return true;
    },
    async appliedMigrations() {
      const { rows } = await client.query(`select to_regclass('schema_migrations') is not null as there`);
      if (!rows[0].there) return [];
      return (await client.query('select name from schema_migrations')).rows.map(({ name }) => name);
    },
    async begin() {
      await client.query('begin');
      await client.query(`set local lock_timeout = '10s'`);
      // A service that starts now waits here before it reads the tables.
      await client.query('select pg_advisory_xact_lock($1)', [schemaLockKey]);
      await setTextForms(client);
    },
    async rebuild(names) {
      const texts = migrations.map(({ text }) => text).join('\n');
      for (const { name, kind } of await relationsOf(client, namesIn(texts, 'table')))
        await client.query(`drop ${kind} if exists ${quote(name)} cascade`);
      for (const signature of await signaturesOf(client, namesIn(texts, 'function')))
        await client.query(`drop function ${signature}`);
      await prepareMigrationsTable(run);
      await client.query('delete from schema_migrations');
      for (const migration of migrations.filter((one) => names.includes(one.name))) {
        await client.query(migration.text);
        await noteApplied(run, migration);
      }
      for (const [table, columns] of await columnTypes(client)) types.set(table, columns);
      // Restored rows are not changes: the live feed must not report them.
      await setTriggers(client, 'disable');
    },
    async insert(table, rows) {
      const known = types.get(table.name);
      if (!known || !table.columns.every((column) => known.has(column))) {
        throw new BackupError(`the backup is damaged: its release has no such table ${table.name}`);
      }
      await client.query(insertText(table, known), [`[${rows.join(',')}]`]);
    },
    async setSequence(name, value) {
      await client.query('select setval($1::regclass, $2)', [quote(name), value]);
    },
    readBack: (table) => readRows(client, table),
    async endBackups(now) {
      await client.query(`delete from jobs where kind = 'backup'`);
      // A backup of an earlier release has no runs.
      if (!types.has('backup_runs')) return;
      await client.query(
        `update backup_runs set state = 'failed', error = 'the instance was restored', draft = null, updated_at = $1,
           ended_at = $1
         where ended_at is null`,
        [now],
      );
    },
    async commit() {
      await setTriggers(client, 'enable');
      await client.query('commit');
    },
    close: () => client.end(),
  };
}

/** What once was a table may be a view. */
async function relationsOf(
  client: pg.Client,
  names: ReadonlySet<string>,
): Promise<{ name: string; kind: 'table' | 'view' }[]> {
  const { rows } = await client.query<{ name: string; kind: 'table' | 'view' }>(
    `select relname as name, case relkind when 'v' then 'view' else 'table' end as kind from pg_class
     where relnamespace = current_schema()::regnamespace and relname = any($1) and relkind in ('r', 'p', 'v')`,
    [[...names]],
  );
  return rows;
}

/** Several functions may have one name. */
async function signaturesOf(client: pg.Client, names: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await client.query<{ signature: string }>(
    `select oid::regprocedure::text as signature from pg_proc
     where pronamespace = current_schema()::regnamespace and proname = any($1)`,
    [[...names]],
  );
  return rows.map(({ signature }) => signature);
}

async function setTriggers(client: pg.Client, state: 'enable' | 'disable'): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`);
  for (const { name } of rows) await client.query(`alter table ${quote(name)} ${state} trigger user`);
}

function namesIn(texts: string, kind: 'table' | 'function'): Set<string> {
  const made = new RegExp(
    `^\\s*create (?:or replace )?(?:unlogged )?${kind} (?:if not exists )?(\\w+)`,
    'gim',
  );
  return new Set([...texts.matchAll(made)].map((match) => match[1]!));
}

async function columnTypes(client: pg.Client): Promise<Map<string, Map<string, string>>> {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(`
    select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped`);
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    tables.set(table, (tables.get(table) ?? new Map()).set(column, type));
  }
  return tables;
}

function insertText({ name, columns }: TableShape, types: Map<string, string>): string {
  const values = columns.map((column, index) => `(r ->> ${index})::${types.get(column)}`);
  return `insert into ${quote(name)} (${columns.map(quote).join(', ')}) overriding system value
    select ${values.join(', ')} from json_array_elements($1::json) as r`;
}
