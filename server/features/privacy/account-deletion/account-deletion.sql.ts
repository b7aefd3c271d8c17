/**
 * Deletes every row of an account. The tables come from the database's catalogue, so that a new one is never forgotten:
 * each table with a column account_id, those that refer to others first.
 */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { Sql, sql } from '../../../platform/db/sql.ts';

/** Batches over large indexes. */
const long = { timeoutMs: 60_000 };

/** The directory is forgotten last, and the state of a move is the move's. */
const notOfAccounts = [
  'account_fences',
  'account_move_changes',
  'account_moves',
  'cell_accounts',
  'cell_channels',
  'cell_emails',
  'cell_slugs',
];

/** Names as they are written in a statement. A table comes after those that refer to it. */
export async function selectTablesOfAccounts(db: Reader): Promise<string[]> {
  const tables = await db.query<{ name: string; refersTo: string[] }>(sql`
    select c.oid::regclass::text as name,
      array(select distinct f.confrelid::regclass::text from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as "refersTo"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relname <> all(${notOfAccounts}::text[])
    order by 1`);
  const left = new Map(tables.map(({ name, refersTo }) => [name, refersTo]));
  const ordered: string[] = [];
  while (left.size > 0) {
    const referred = new Set([...left.values()].flat());
    const free = [...left.keys()].filter((name) => !referred.has(name));
    // A circle: in any order, a batch that fails is tried again with the next pass.
    const next = free.length > 0 ? free : [...left.keys()];
    for (const name of next) left.delete(name);
    ordered.push(...next);
  }
  return ordered;
}

const names = new Map<string, Sql>();

/** The name of a table cannot be a parameter. One object for each: statements are known by their parts. */
function nameOf(table: string): Sql {
  const name = names.get(table) ?? new Sql([table], []);
  names.set(table, name);
  return name;
}

/** Returns how many; fewer than `limit`: there are no more. */
export async function deleteRows(tx: Tx, table: string, accountId: string, limit: number): Promise<number> {
  const name = nameOf(table);
  const [row] = await tx.query<{ count: number }>(
    sql`
    with gone as (
      delete from ${name} where ctid = any(array(
        select ctid from ${name} where account_id = ${accountId} limit ${limit})) returning 1)
    select count(*)::int as count from gone`,
    long,
  );
  return row!.count;
}

/** They have no column for it: what was typed in the last minute. */
export async function deleteSignals(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from live_signals where strpos(body, ${accountId}) > 0`);
}
