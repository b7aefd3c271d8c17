/** The backups that the service made or tried to make. In the home cell, for all cells. */
import type { Reader, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import type { Manifest } from './manifest.ts';

export interface BackupRun {
  id: string;
  cell: string;
  cause: 'schedule' | 'request';
  state: 'waiting' | 'writing' | 'verifying' | 'good' | 'failed';
  place: string;
  name: string | null;
  draft: string | null;
  rows: number;
  files: number;
  bytes: number | null;
  isEncrypted: boolean;
  verifiedAt: number | null;
  unverified: string | null;
  error: string | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
  removedAt: number | null;
}

const columns = sql`id, cell, cause, state, place, name, draft, row_count as rows, file_count as files, bytes,
  is_encrypted as "isEncrypted", verified_at as "verifiedAt", unverified, error, created_at as "createdAt",
  updated_at as "updatedAt", ended_at as "endedAt", removed_at as "removedAt"`;

/** Newest first. */
export async function selectRuns(db: Reader, limit: number): Promise<BackupRun[]> {
  return db.query(sql`select ${columns} from backup_runs order by created_at desc, id desc limit ${limit}`);
}

/** Of a cell: the last that ended well, and the last one that ended. */
export async function selectLastRuns(
  db: Reader,
  cell: string,
): Promise<{ good: BackupRun | null; ended: BackupRun | null }> {
  const rows = await db.query<BackupRun>(sql`
    (select ${columns} from backup_runs where cell = ${cell} and state = 'good' order by created_at desc limit 1)
    union all
    (select ${columns} from backup_runs where cell = ${cell} and ended_at is not null order by created_at desc limit 1)`);
  return {
    good: rows.find(({ state }) => state === 'good') ?? null,
    ended: rows.toSorted((a, b) => b.createdAt - a.createdAt)[0] ?? null,
  };
}

/** Whether a good one was stored there before. */
export async function hasGoodRun(db: Reader, place: string): Promise<boolean> {
  const rows = await db.query(sql`select from backup_runs where place = ${place} and state = 'good' limit 1`);
  return rows.length > 0;
}

/** When the first one of a cell was begun. */
export async function findFirstTime(db: Reader, cell: string): Promise<number | null> {
  const [row] = await db.query<{ at: number }>(
    sql`select created_at as at from backup_runs where cell = ${cell} order by created_at limit 1`,
  );
  return row?.at ?? null;
}

export async function findRun(db: Reader, id: string): Promise<BackupRun | null> {
  const [row] = await db.query<BackupRun>(sql`select ${columns} from backup_runs where id = ${id}`);
  return row ?? null;
}

/** No other advisory lock has this number. */
const lockKey = 7_231_074;
/** Why one without an end is no longer waited for. */
export const givenUp = 'the process that made it has ended';

/** Until the end of the transaction no other one of the cell starts. */
export async function lockRuns(tx: Tx, cell: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${lockKey}, hashtext(${cell}::text))`);
}

export async function findOpenRun(db: Reader, cell: string): Promise<BackupRun | null> {
  const [row] = await db.query<BackupRun>(sql`
    select ${columns} from backup_runs where cell = ${cell} and ended_at is null order by created_at desc limit 1`);
  return row ?? null;
}

/** Those that have not changed since: their workers were killed at every attempt, or there is none. */
export async function endGivenUp(tx: Tx, cell: string, since: number, now: number): Promise<void> {
  await tx.query(sql`
    update backup_runs set state = 'failed', error = ${givenUp}, updated_at = ${now}, ended_at = ${now}
    where cell = ${cell} and ended_at is null and updated_at <= ${since}`);
}

/** Whether one of the schedule was made, or has just failed. */
export async function isDone(db: Reader, cell: string, due: number, failedSince: number): Promise<boolean> {
  const rows = await db.query(sql`
    select from backup_runs where cell = ${cell} and created_at >= ${due}
      and (state = 'good' or ended_at > ${failedSince}) limit 1`);
  return rows.length > 0;
}

export async function insertRun(
  tx: Tx,
  { cell, cause, place, now }: Pick<BackupRun, 'cell' | 'cause' | 'place'> & { now: number },
): Promise<string> {
  const id = newId(now);
  await tx.query(sql`
    insert into backup_runs (id, cell, cause, state, place, created_at, updated_at)
    values (${id}, ${cell}, ${cause}, 'waiting', ${place}, ${now}, ${now})`);
  return id;
}

export async function beginRun(
  tx: Tx,
  id: string,
  name: string,
  isEncrypted: boolean,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update backup_runs set state = 'writing', name = ${name}, draft = null, is_encrypted = ${isEncrypted}, row_count = 0,
      file_count = 0, error = null, updated_at = ${now}
    where id = ${id}`);
}

export async function noteDraft(tx: Tx, id: string, draft: string): Promise<void> {
  await tx.query(sql`update backup_runs set draft = ${draft} where id = ${id}`);
}

export async function noteProgress(
  tx: Tx,
  id: string,
  { state, rows, files, now }: Pick<BackupRun, 'state' | 'rows' | 'files'> & { now: number },
): Promise<void> {
  await tx.query(sql`
    update backup_runs set state = ${state}, row_count = ${rows}, file_count = ${files}, updated_at = ${now}
    where id = ${id} and ended_at is null`);
}

export async function endRun(
  tx: Tx,
  id: string,
  now: number,
  result: Manifest | { error: string },
): Promise<void> {
  await tx.query(
    'error' in result
      ? sql`
          update backup_runs set state = 'failed', error = ${result.error.slice(0, 500)}, draft = null, updated_at = ${now},
            ended_at = ${now}
          where id = ${id}`
      : sql`
          update backup_runs set state = 'good', row_count = ${result.rows}, file_count = ${result.files},
            bytes = ${result.bytes}, verified_at = ${result.verifiedAt}, unverified = ${result.unverified}, draft = null,
            updated_at = ${now}, ended_at = ${now}
          where id = ${id}`,
  );
}

export async function noteRemoved(tx: Tx, name: string, now: number): Promise<void> {
  await tx.query(sql`update backup_runs set removed_at = ${now} where name = ${name} and removed_at is null`);
}

export async function pruneRuns(tx: Tx, before: number): Promise<void> {
  await tx.query(sql`
    delete from backup_runs where created_at < ${before} and (removed_at is not null or state <> 'good')`);
}
