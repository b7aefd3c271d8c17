/**
 * Which tables a move copies: every table with a column `account_id`, and `accounts`. The others are listed here with
 * the reason. A test fails for a table that is neither.
 */
import type { Reader } from '../../db/db.ts';
import { Sql, sql } from '../../db/sql.ts';

/** They have an account, and stay. */
const notCopied: Readonly<Record<string, string>> = {
  account_fences: 'the state of the move itself',
  account_move_changes: 'the state of the move itself',
  account_moves: 'the directory',
  cell_accounts: 'the directory',
  cell_channels: 'the directory',
  cell_emails: 'the directory; the switch writes it',
  cell_slugs: 'as cell_emails',
  connector_pace: 'when the next message may be sent: some seconds',
  contact_backfill: 'how far a task of the whole cell is',
  live_changes: 'changes for live updates: windows load everything anew after a move',
  live_heads: 'as live_changes',
  live_log: 'as live_changes',
  live_presence: 'who is connected: windows connect anew',
  live_tickets: 'valid for seconds',
  rate_limit_counters: 'windows of at most an hour begin anew',
  rate_limit_hits: 'as rate_limit_counters',
  rate_limit_leases: 'as rate_limit_counters',
  removed_figures: 'as traffic_blocks',
  search_erasures: 'counts transactions of one server; no file of the old cell is read in the new one',
  search_files: 'files of indexes, which count changes by the transactions of one server',
  traffic_blocks: 'sums for reports, which are computed again',
};

/** They have no account. */
const withoutAccount: Readonly<Record<string, string>> = {
  api_nodes: 'processes of the cell',
  backup_runs: 'of the instance, in the home cell',
  backups: 'of the database',
  cells: 'the directory',
  contact_key_version: 'of the database',
  housekeeping_steps: 'of the cell',
  instance_secrets: 'of the instance, and the name of the cell',
  knowledge_hosts: 'of the cell',
  live_notified: 'of the cell',
  live_signals: 'of the cell',
  live_state: 'of the cell',
  login_failures: 'of the instance, in the home cell',
  oidc_used_states: 'of the instance: a sign-in begins without an account',
  processes: 'processes of the cell',
  push_keys: 'of the instance, in the home cell',
  schema_migrations: 'of the database',
};

/** Who works on a row: in the new cell no one does. */
const cleared: Readonly<Record<string, readonly string[]>> = {
  automation_causes: ['lease_token'],
  connector_outbound: ['lease_token'],
  connectors: ['poller'],
  jobs: ['lease_token', 'lease_until'],
  webhook_deliveries: ['lease_token'],
};

/** Tables without a primary key: all rows with the same values here are copied together. */
const keys: Readonly<Record<string, readonly string[]>> = {
  record_deletions: ['account_id', 'record_id'],
  webhook_attempts: ['account_id', 'delivery_id'],
};

/**
 * Their keys are unique in a cell and may be taken there: the one who used a website's name first keeps it, and the
 * browser that is known there already stays (it registers again when it is used).
 */
const contested: Readonly<Record<string, string>> = {
  help_slugs: 'on conflict do nothing',
  push_subscriptions: 'on conflict do nothing',
  web_identifiers: `on conflict (identifier) do update set account_id = excluded.account_id,
    channel_id = excluded.channel_id, first_used_at = excluded.first_used_at, retired_at = excluded.retired_at
    where web_identifiers.account_id = excluded.account_id or excluded.first_used_at < web_identifiers.first_used_at`,
};

/** Not deleted to be inserted again: their trigger would delete more. */
const updatedInPlace = ['webhook_deliveries'];

/** Triggers of other tables write them, with the wrong result when rows are copied: they are copied after those. */
const last = ['automation_listeners', 'storage_usage', 'web_identifiers'];

export interface MovedTable {
  name: string;
  /** All its columns with their types, in order: the same in both databases. */
  form: string;
  table: Sql;
  /** The column with the account. */
  account: Sql;
  key: readonly string[];
  hasPrimaryKey: boolean;
  /** Copied as they are, and compared. */
  columns: readonly string[];
  /** `changed_xid`: counts transactions of one server. */
  stamped: readonly string[];
  cleared: readonly string[];
  /** Numbered by the server, in this order. */
  numbered: string | null;
  /** Changed rows are deleted and inserted: another unique index could be violated in between. */
  isReplaced: boolean;
  /** Copied again with every part of the changes. */
  isLast: boolean;
  isCompared: boolean;
  onConflict: string | null;
}

interface CatalogueRow {
  name: string;
  columns: { name: string; type: string; generated: boolean; numbered: boolean }[];
  key: string[] | null;
  uniques: number;
  references: string[];
  isReferenced: boolean;
}

/** In an order in which rows may be inserted. */
export async function readTables(db: Reader): Promise<MovedTable[]> {
  const all = await readCatalogue(db);
  const moved = all.filter(({ name, columns }) => isMoved(name, columns));
  return inOrder(moved).map(describe);
}

/** Those that are neither copied nor listed. */
export async function findUnknownTables(db: Reader): Promise<string[]> {
  const all = await readCatalogue(db);
  const names = all.map(({ name }) => name);
  const unknown = all.filter(
    ({ name, columns }) => !isMoved(name, columns) && !(name in notCopied) && !(name in withoutAccount),
  );
  const listed = [notCopied, withoutAccount, cleared, keys, contested].flatMap((list) => Object.keys(list));
  return [
    ...unknown.map(({ name }) => name),
    ...listed.filter((name) => !names.includes(name)).map((name) => `${name} (does not exist)`),
    ...all
      .filter(({ name, columns, key }) => isMoved(name, columns) && !key && !(name in keys))
      .map(({ name }) => `${name} (has no key)`),
  ];
}

function isMoved(name: string, columns: CatalogueRow['columns']): boolean {
  if (name === 'accounts') return true;
  return !(name in notCopied) && columns.some((column) => column.name === 'account_id');
}

function describe({ name, columns, key, uniques, isReferenced }: CatalogueRow): MovedTable {
  const isCleared = new Set(cleared[name]);
  const stamped = columns.filter(({ type }) => type === 'xid8').map((column) => column.name);
  return {
    name,
    form: columns.map((column) => `${column.name} ${column.type}`).join(', '),
    table: raw(`"${name}"`),
    account: raw(name === 'accounts' ? 'id' : 'account_id'),
    key: key ?? keys[name]!,
    hasPrimaryKey: key !== null,
    columns: columns
      .filter((one) => !one.generated && !one.numbered && one.type !== 'xid8' && !isCleared.has(one.name))
      .map((column) => column.name),
    stamped,
    cleared: [...isCleared],
    numbered: columns.find((column) => column.numbered)?.name ?? null,
    isReplaced:
      key === null ||
      (uniques > 1 && !isReferenced && !(name in contested) && !updatedInPlace.includes(name)),
    isLast: last.includes(name),
    isCompared: !(name in contested),
    onConflict: contested[name] ?? null,
  };
}

function inOrder(rows: readonly CatalogueRow[]): CatalogueRow[] {
  const left = new Map(rows.map((row) => [row.name, row]));
  const done: CatalogueRow[] = [];
  const isReady = ({ name, references }: CatalogueRow) =>
    references.every((other) => other === name || !left.has(other)) &&
    (!last.includes(name) || [...left.keys()].every((other) => last.includes(other)));
  while (left.size > 0) {
    const next = [...left.values()].find(isReady);
    if (!next) throw new Error(`tables refer to each other in a circle: ${[...left.keys()].join(', ')}`);
    left.delete(next.name);
    done.push(next);
  }
  return done;
}

function readCatalogue(db: Reader): Promise<CatalogueRow[]> {
  return db.query<CatalogueRow>(sql`
    select c.relname as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
          'generated', a.attgenerated <> '', 'numbered', a.attidentity <> '') order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum))
        from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select count(*)::int from pg_index i where i.indrelid = c.oid and i.indisunique) as uniques,
      array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f') as references,
      exists (select from pg_constraint f where f.confrelid = c.oid and f.contype = 'f') as "isReferenced"
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    order by c.relname`);
}

/** Names from the catalogue, and lists of them. */
export function raw(text: string): Sql {
  const known = raws.get(text) ?? new Sql([text], []);
  raws.set(text, known);
  return known;
}

const raws = new Map<string, Sql>();

export const listOf = (columns: readonly string[], prefix = ''): Sql =>
  raw(columns.map((column) => `${prefix}"${column}"`).join(', '));
