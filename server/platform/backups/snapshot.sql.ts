/**
 * Reads every table as of one moment. Each value is in PostgreSQL's own text format, which every type reads back
 * exactly; JSON would lose the difference between a JSON null and no value, and the exactness of large numbers.
 */
import pg from 'pg';
import { requireServer } from '../db/database-check.ts';

export interface TableShape {
  name: string;
  columns: string[];
}

export interface Snapshot {
  migrations: { name: string; checksum: string }[];
  /** Referenced tables before the tables that reference them. */
  tables: TableShape[];
  sequences: { name: string; value: string }[];
  /** Batches of rows, each the text of a JSON array with one string or null per column. */
  rows(table: TableShape): AsyncGenerator<string[]>;
  close(): Promise<void>;
}

const firstFetch = 100;
const fetchBytes = 4 * 2 ** 20;
const maxRows = 5_000;

export async function openSnapshot(connection: pg.ClientConfig): Promise<Snapshot> {
  const client = await connectForCopy(connection);
  await client.query('begin isolation level repeatable read read only');
  await setTextForms(client);
  const migrations = await client.query('select name, checksum from schema_migrations order by name');
  const sequences = await client.query(`
    select sequencename as name, last_value::text as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`);
  return {
    migrations: migrations.rows,
    tables: await listTables(client),
    sequences: sequences.rows,
    rows: (table) => readRows(client, table),
    async close() {
      await client.query('rollback').catch(() => {});
      await client.end();
    },
  };
}

export async function connectForCopy(connection: pg.ClientConfig): Promise<pg.Client> {
  const server = await requireServer(connection);
  const client = new pg.Client({ ...server, application_name: 'talkboard-backup' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Texts written under these settings must be read under them. */
export async function setTextForms(client: pg.Client): Promise<void> {
  await client.query(`
    set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
    set local bytea_output = 'hex'; set local extra_float_digits = 1;
    set local idle_in_transaction_session_timeout = 0`);
}

/**
 * Counters of rate limits (unlogged) are worthless later; an extension's tables come with the extension. Transaction
 * ids (xid8) mean nothing in another database: their columns get their default, which says that the restore changed
 * the row. Files of search indexes and the processes that use the database belong to it as it is now: after a restore
 * none of them counts.
 */
export async function listTables(client: pg.Client): Promise<TableShape[]> {
  const tables = await client.query<TableShape>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
      and not c.relispartition and c.relname not in ('schema_migrations', 'processes', 'search_files', 'search_erasures')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.atttypid <> 'xid8'::regtype
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by c.relname order by c.relname`);
  const references = await client.query<{ from: string; to: string }>(`
    select distinct f.relname as from, t.relname as to
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and f.relnamespace = current_schema()::regnamespace and f.oid <> t.oid`);
  return sortByReference(tables.rows, references.rows);
}

function sortByReference(tables: TableShape[], references: { from: string; to: string }[]): TableShape[] {
  const sorted: TableShape[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const free = waiting.filter(
      ({ name }) => !references.some((one) => one.from === name && names.has(one.to)),
    );
    if (free.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...names].join(', ')}`);
    sorted.push(...free);
    waiting = waiting.filter((table) => !free.includes(table));
  }
  return sorted;
}

export async function* readRows(client: pg.Client, { name, columns }: TableShape): AsyncGenerator<string[]> {
  const texts = columns.map((column) => `${pg.escapeIdentifier(column)}::text`).join(', ');
  await client.query(`
    declare backup_rows no scroll cursor for
    select to_json(array[${texts}])::text as row from ${pg.escapeIdentifier(name)}`);
  let count = firstFetch;
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${count} from backup_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row);
    // Rows differ in size by a factor of a thousand: this keeps a batch small in memory.
    const bytes = rows.reduce((sum, { row }) => sum + row.length, 0);
    count = Math.max(1, Math.min(maxRows, Math.floor((fetchBytes * rows.length) / bytes)));
  }
  await client.query('close backup_rows');
}
