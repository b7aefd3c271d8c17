/**
 * Rows from one database to another, in PostgreSQL's own text form, which is never read in between. (JSON would confuse
 * a JSON null with no value, D-239.) Both have the same columns in the same order. Keys are JSON objects.
 */
import type { Reader, Tx } from '../../db/db.ts';
import { empty, join, type Sql, sql } from '../../db/sql.ts';
import { listOf, type MovedTable, raw } from './tables.ts';

const long = { timeoutMs: 600_000 };

/** One state of the database for all its statements. */
export async function beginSnapshot(source: Tx): Promise<void> {
  await source.query(sql`set transaction isolation level repeatable read, read only`);
  await setForm(source);
}

/** Of times in texts: both databases must mean the same. */
export async function setForm(tx: Tx): Promise<void> {
  await tx.query(sql`
    select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
      set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`);
}

/** Lets the transaction write rows past the fence. Null: another command holds the move. For `endWrite`. */
export async function beginWrite(target: Tx, accountId: string, holder: string): Promise<number | null> {
  await setForm(target);
  const [row] = await target.query<{ since: number }>(sql`
    select set_config('talkboard.moving', account_id::text, true),
      coalesce((select max(id) from live_changes), 0)::bigint as since
    from account_fences where account_id = ${accountId} and state = 'arriving' and holder = ${holder} for share`);
  return row?.since ?? null;
}

/** The same where the account has left. Null: it has come back since. */
export async function beginRemoval(tx: Tx, accountId: string, moveId: string): Promise<number | null> {
  const [row] = await tx.query<{ since: number }>(sql`
    select set_config('talkboard.moving', account_id::text, true),
      coalesce((select max(id) from live_changes), 0)::bigint as since
    from account_fences where account_id = ${accountId} and state = 'moved' and move_id = ${moveId} for share`);
  return row?.since ?? null;
}

/** The copied rows are no changes. Nothing else writes changes of the account here. */
export async function endWrite(target: Tx, accountId: string, since: number): Promise<void> {
  await target.query(sql`delete from live_changes where id > ${since} and account_id = ${accountId}`);
}

/** By table, in one statement. */
export async function countRows(
  db: Reader,
  tables: readonly MovedTable[],
  accountId: string,
): Promise<Map<string, number>> {
  const counts = tables.map(
    ({ name, table, account }) =>
      sql`select ${name}::text as name, count(*)::int as count from ${table} where ${account} = ${accountId}::uuid`,
  );
  const rows = await db.query<{ name: string; count: number }>(join(counts, ' union all '), long);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** For `fetchRows`. A cursor is declared without parameters, and the text must be the same for every account. */
export async function openRows(source: Tx, table: MovedTable, accountId: string): Promise<void> {
  await source.query(sql`select set_config('talkboard.copied', ${accountId}, true)`);
  const order = table.numbered ? `order by t."${table.numbered}"` : '';
  await source.query(
    raw(`declare moved_rows no scroll cursor for select t::text as row from "${table.name}" t
      where t.${table.name === 'accounts' ? 'id' : 'account_id'} = current_setting('talkboard.copied')::uuid ${order}`),
    long,
  );
}

export async function fetchRows(source: Tx): Promise<string[]> {
  const rows = await source.query<{ row: string }>(sql`fetch 500 from moved_rows`, long);
  return rows.map(({ row }) => row);
}

export async function closeRows(source: Tx): Promise<void> {
  await source.query(sql`close moved_rows`);
}

/** Existing rows of the account are overwritten. */
export async function writeRows(target: Tx, table: MovedTable, rows: readonly string[]): Promise<void> {
  if (rows.length === 0) return;
  await target.query(
    sql`
    insert into ${table.table} (${listOf(table.columns)})
    select ${listOf(table.columns)} from unnest(${rows}::${table.table}[])
    ${conflictOf(table)}`,
    long,
  );
}

function conflictOf({ onConflict, hasPrimaryKey, key, columns, stamped, cleared }: MovedTable): Sql {
  if (onConflict) return raw(onConflict);
  if (!hasPrimaryKey) return empty;
  const values = [
    ...columns
      .filter((column) => !key.includes(column))
      .map((column) => `"${column}" = excluded."${column}"`),
    ...stamped.map((column) => `"${column}" = pg_current_xact_id()`),
    ...cleared.map((column) => `"${column}" = null`),
  ];
  const names = key.map((column) => `"${column}"`).join(', ');
  return raw(
    `on conflict (${names}) do ${values.length > 0 ? `update set ${values.join(', ')}` : 'nothing'}`,
  );
}

export async function deleteAllRows(target: Tx, table: MovedTable, accountId: string): Promise<void> {
  await target.query(sql`delete from ${table.table} where ${table.account} = ${accountId}`, long);
}

/** At most `limit`. Returns how many. */
export async function deleteSomeRows(
  tx: Tx,
  table: MovedTable,
  accountId: string,
  limit: number,
): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    sql`
    with gone as (
      delete from ${table.table} where ctid = any(array(
        select ctid from ${table.table} where ${table.account} = ${accountId} limit ${limit}))
      returning 1)
    select count(*)::int as count from gone`,
    long,
  );
  return rows[0]!.count;
}

/** Of a small table. */
export async function readAllRows(source: Reader, table: MovedTable, accountId: string): Promise<string[]> {
  const rows = await source.query<{ row: string }>(
    sql`select t::text as row from ${table.table} t where t.${table.account} = ${accountId}`,
  );
  return rows.map(({ row }) => row);
}

export interface ChangedRows {
  keys: readonly string[];
  rows: string[];
  /** Keys of rows that are gone. */
  gone: string[];
}

export async function readChanged(
  source: Reader,
  table: MovedTable,
  keys: readonly string[],
): Promise<ChangedRows> {
  if (keys.length === 0) return { keys, rows: [], gone: [] };
  const found = await source.query<{ place: number; row: string | null }>(
    sql`
    select k.ordinality::int as place, t::text as row
    from json_populate_recordset(null::${table.table}, ${jsonOf(keys)}::json) with ordinality k
    left join ${table.table} t on ${sameKey(table, 't', 'k')}
    ${table.numbered ? raw(`order by t."${table.numbered}"`) : empty}`,
    long,
  );
  return {
    keys,
    rows: found.flatMap(({ row }) => (row === null ? [] : [row])),
    gone: found.flatMap(({ place, row }) => (row === null ? [keys[place - 1]!] : [])),
  };
}

export async function deleteKeys(target: Tx, table: MovedTable, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await target.query(
    sql`
    delete from ${table.table} t using json_populate_recordset(null::${table.table}, ${jsonOf(keys)}::json) k
    where ${sameKey(table, 't', 'k')}`,
    long,
  );
}

export interface Sum {
  rows: number;
  sum: string;
}

const sumOf = (table: MovedTable) => sql`count(*)::int as rows,
  coalesce(sum(hashtextextended(row(${listOf(table.columns, 't.')})::text, 0)::numeric), 0)::text as sum`;

export async function sumAll(db: Reader, table: MovedTable, accountId: string): Promise<Sum> {
  const [row] = await db.query<Sum>(
    sql`select ${sumOf(table)} from ${table.table} t where t.${table.account} = ${accountId}`,
    long,
  );
  return row!;
}

export async function sumKeys(db: Reader, table: MovedTable, keys: readonly string[]): Promise<Sum> {
  const [row] = await db.query<Sum>(
    sql`
    select ${sumOf(table)} from json_populate_recordset(null::${table.table}, ${jsonOf(keys)}::json) k
    join ${table.table} t on ${sameKey(table, 't', 'k')}`,
    long,
  );
  return row!;
}

function sameKey({ key }: MovedTable, a: string, b: string): Sql {
  return raw(key.map((column) => `${a}."${column}" = ${b}."${column}"`).join(' and '));
}

const jsonOf = (objects: readonly string[]) => `[${objects.join(',')}]`;

/** The account's numbers begin beyond those of an earlier stay: no window can take up where it was then. */
export async function beginLiveLog(target: Tx, accountId: string): Promise<void> {
  await target.query(sql`delete from live_log where account_id = ${accountId}`);
  await target.query(sql`
    insert into live_heads as h (account_id, seq) values (${accountId}, 1000)
    on conflict (account_id) do update set seq = h.seq + 1000`);
}

const newsColumns = sql`type, subject_id, item_id, kanban_id, left_kanban_id, user_id, detail`;
const mostNews = 5_000;

/** Changes that were not delivered yet. */
export async function readNews(source: Reader, accountId: string): Promise<string[]> {
  const rows = await source.query<{ row: string }>(sql`
    select row_to_json(n)::text as row from (
      select ${newsColumns} from (
        select 0 as part, position as place, ${newsColumns} from live_log
        where account_id = ${accountId} and position > (select position from live_notified)
        union all
        select 1, id, ${newsColumns} from live_changes where account_id = ${accountId}) c
      order by part desc, place desc limit ${mostNews}) n`);
  return rows.map(({ row }) => row).reverse();
}

/** For `openAccount`. */
export async function keepNews(target: Tx, accountId: string, news: readonly string[]): Promise<void> {
  await target.query(sql`
    update account_fences set news = ${jsonOf(news)}::json where account_id = ${accountId} and state = 'arriving'`);
}

/** The new cell may be written to, and notifies of the news: not before, because it would skip them. */
export async function openAccount(target: Tx, accountId: string, moveId: string): Promise<void> {
  const [fence] = await target.query<{ news: string | null }>(sql`
    delete from account_fences where account_id = ${accountId} and move_id = ${moveId} and state = 'arriving'
    returning news::text as news`);
  if (!fence?.news) return;
  await target.query(sql`
    insert into live_changes (account_id, type, subject_id, item_id, kanban_id, left_kanban_id, user_id, detail)
    select ${accountId}::uuid, ${newsColumns} from json_populate_recordset(null::live_changes, ${fence.news}::json)`);
}
