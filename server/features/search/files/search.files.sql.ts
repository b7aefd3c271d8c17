/**
 * Which files of indexes count. The row of a file is committed before the file is written, and the index has read
 * everything in it before that. So a database that has the row has everything that is in the file.
 */
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

export interface FileState {
  id: string;
  accountId: string;
  position: string;
  builtAt: string;
  /** When the position was read, by the clock of the database. */
  readAt: number;
}

/** The timeline changes when a standby takes over. */
const currentTimeline = sql`case when pg_is_in_recovery() then 'standby'
  else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`;
/** In the statement itself: another server may take over between two statements. */
const isTimeline = (timeline: string) =>
  timeline === '' ? sql`true` : sql`${currentTimeline} = ${timeline}`;
const isRecent = (readAt: Sql) => sql`${readAt} > now() - interval '7 days'`;
const timeOf = (readAt: number) => sql`to_timestamp(${readAt}::float8 / 1000)`;

/**
 * Null: the index may hold what was erased since it was built, or knows transactions that this database does not have,
 * or its last read is too old. Rows of files that are no longer read go with it.
 */
export async function insertFile(
  db: Db,
  { id, accountId, position, builtAt, readAt, timeline }: FileState & { timeline: string },
): Promise<string | null> {
  const [row] = await db.autocommit<{ xid: string }>(sql`
    with expired as (
      delete from search_files where account_id = ${accountId} and read_at < now() - interval '8 days')
    insert into search_files (id, account_id, built_at, read_at)
    select ${id}::uuid, ${accountId}::uuid, ${builtAt}::pg_snapshot, ${timeOf(readAt)}
    where pg_snapshot_xmax(${position}::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
      and ${isRecent(timeOf(readAt))} and ${isTimeline(timeline)}
      and not exists (select from search_erasures e
        where e.account_id = ${accountId} and not pg_visible_in_snapshot(e.erased_xid, ${builtAt}::pg_snapshot))
    returning written_xid::text as xid`);
  return row?.xid ?? null;
}

/**
 * Whether the file may be read: its row is that of this database, the index was current in the last seven days
 * (deletions are known for eight), and no person was erased since the index was built.
 */
export async function isFileGood(
  db: Reader,
  { id, accountId, position, builtAt, xid, timeline }: FileState & { xid: string; timeline: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from search_files f
    where f.id = ${id} and f.account_id = ${accountId} and f.written_xid = ${xid}::xid8
      and ${isRecent(sql`f.read_at`)} and ${isTimeline(timeline)}
      and pg_snapshot_xmax(${position}::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
      and not exists (select from search_erasures e
        where e.account_id = f.account_id and not pg_visible_in_snapshot(e.erased_xid, ${builtAt}::pg_snapshot))`);
  return rows.length > 0;
}

/** Of these files, those that still count. */
export async function selectGoodFiles(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select f.id from search_files f
    where f.id = any(${ids as string[]}::uuid[]) and ${isRecent(sql`f.read_at`)}
      and not exists (select from search_erasures e
        where e.account_id = f.account_id and not pg_visible_in_snapshot(e.erased_xid, f.built_at))`);
  return new Set(rows.map(({ id }) => id));
}

export async function deleteFiles(db: Db, ids: readonly string[]): Promise<void> {
  await db.autocommit(sql`delete from search_files where id = any(${ids as string[]}::uuid[])`);
}

/** Other processes remove their files then. */
export async function deleteFilesOf(db: Db, accountId: string): Promise<void> {
  await db.autocommit(sql`delete from search_files where account_id = ${accountId}`);
}

/** After the last change of the erasure: indexes from before it are no longer written or read. */
export async function noteErasure(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`
    insert into search_erasures (account_id) values (${accountId})
    on conflict (account_id) do update set erased_xid = pg_current_xact_id()`);
}

/** No such function, not supported, no permission. */
const withoutTimelines = ['42883', '0A000', '42501'];

/**
 * Writes that were lost when a standby took over may be in an index in memory, so an index remembers the timeline that
 * it was built on. Empty where the engine has none.
 */
export async function selectTimeline(db: Reader): Promise<string> {
  try {
    const [row] = await db.query<{ timeline: string }>(sql`select ${currentTimeline} as timeline`);
    return row?.timeline ?? '';
  } catch (error) {
    if (withoutTimelines.includes((error as { code?: string }).code ?? '')) return '';
    throw error;
  }
}
