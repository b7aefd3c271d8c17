/** Which files of indexes count. A row is there before its file, and everything in the file is older than its row. */
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface FileState {
  id: string;
  accountId: string;
  position: string;
  builtAt: string;
}

/**
 * Null: the index may hold what was erased since it was built, or knows transactions that this database does not have.
 * Rows of files that nobody reads any more go with it.
 */
export async function insertFile(
  db: Db,
  { id, accountId, position, builtAt }: FileState,
): Promise<string | null> {
  const [row] = await db.autocommit<{ xid: string }>(sql`
    with expired as (
      delete from search_files where account_id = ${accountId} and written_at < now() - interval '8 days')
    insert into search_files (id, account_id, built_at)
    select ${id}::uuid, ${accountId}::uuid, ${builtAt}::pg_snapshot
    where pg_snapshot_xmax(${position}::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
      and not exists (select from search_erasures e
        where e.account_id = ${accountId} and not pg_visible_in_snapshot(e.erased_xid, ${builtAt}::pg_snapshot))
    returning written_xid::text as xid`);
  return row?.xid ?? null;
}

/**
 * Whether the file may be read: its row is that of this database, of the last seven days (deletions are known for
 * eight), and nobody was erased since the index was built.
 */
export async function isFileGood(
  db: Reader,
  { id, accountId, position, builtAt, xid }: FileState & { xid: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from search_files f
    where f.id = ${id} and f.account_id = ${accountId} and f.written_xid = ${xid}::xid8
      and f.written_at > now() - interval '7 days'
      and pg_snapshot_xmax(${position}::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
      and not exists (select from search_erasures e
        where e.account_id = f.account_id and not pg_visible_in_snapshot(e.erased_xid, ${builtAt}::pg_snapshot))`);
  return rows.length > 0;
}

/** Of these files, those that still count. */
export async function selectGoodFiles(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select f.id from search_files f
    where f.id = any(${ids as string[]}::uuid[]) and f.written_at > now() - interval '7 days'
      and not exists (select from search_erasures e
        where e.account_id = f.account_id and not pg_visible_in_snapshot(e.erased_xid, f.built_at))`);
  return new Set(rows.map(({ id }) => id));
}

export async function deleteFiles(db: Db, ids: readonly string[]): Promise<void> {
  await db.autocommit(sql`delete from search_files where id = any(${ids as string[]}::uuid[])`);
}

/** After the last change of the erasure: indexes from before it are neither written nor read any more. */
export async function noteErasure(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`
    insert into search_erasures (account_id) values (${accountId})
    on conflict (account_id) do update set erased_xid = pg_current_xact_id()`);
}

/**
 * Changes when a standby takes over. Writes that were lost then may be in an index in memory. Empty where the engine
 * has no write-ahead log of its own.
 */
export async function selectTimeline(db: Reader): Promise<string> {
  try {
    const [row] = await db.query<{ timeline: string }>(
      sql`select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`,
    );
    return row?.timeline ?? '';
  } catch {
    return '';
  }
}
