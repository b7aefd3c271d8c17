import type {
  ImportColumn,
  ImportDuplicates,
  ImportFormat,
  ImportJob,
  ImportProblem,
  ImportResult,
  ImportState,
} from '../../../contract/crm/imports.ts';
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, limitTo, sql } from '../../platform/db/sql.ts';
import type { ActorReference } from '../accounts/accounts.ts';

export interface ImportRow {
  accountId: string;
  id: string;
  kanbanId: string;
  fileName: string;
  fileBytes: number;
  state: ImportState;
  revision: number;
  format: ImportFormat;
  rows: number;
  rowsAreCounted: boolean;
  fileProblem: ImportProblem | null;
  columns: ImportColumn[];
  duplicates: ImportDuplicates;
  timeZone: string;
  rowsDone: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  error: ImportProblem | null;
  createdBy: string;
  createdByName: string;
  runBy: ActorReference | null;
  run: number;
  runStartedAt: number | null;
  runFirstRow: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  expiresAt: number;
}

const columns = sql`account_id as "accountId", id, kanban_id as "kanbanId", file_name as "fileName",
  file_bytes as "fileBytes", state, revision, format, rows, rows_are_counted as "rowsAreCounted",
  file_problem as "fileProblem", columns, duplicates, time_zone as "timeZone", rows_done as "rowsDone",
  rows_created as created, rows_updated as updated, rows_skipped as skipped, rows_failed as failed, error,
  created_by as "createdBy", created_by_name as "createdByName", run_by as "runBy", run,
  run_started_at as "runStartedAt", run_first_row as "runFirstRow", created_at as "createdAt",
  started_at as "startedAt", ended_at as "endedAt", expires_at as "expiresAt"`;
const isSeen = sql`state not in ('receiving', 'removing')`;

export function toImport(row: ImportRow, now: number): ImportJob {
  const { id, kanbanId, fileName, fileBytes, state, format, rows, rowsAreCounted, fileProblem } = row;
  const { duplicates, timeZone, rowsDone, created, updated, skipped, failed, error } = row;
  const { createdAt, startedAt, endedAt, expiresAt, runStartedAt } = row;
  const ranMs = runStartedAt === null ? 0 : (endedAt ?? now) - runStartedAt;
  const rowsPerSecond = ranMs > 0 ? Math.round(((rowsDone - row.runFirstRow) * 10_000) / ranMs) / 10 : 0;
  return {
    id,
    kanbanId,
    fileName,
    fileBytes,
    state,
    format,
    rows,
    rowsAreCounted,
    fileProblem,
    columns: row.columns,
    duplicates,
    timeZone,
    progress: { rowsDone, created, updated, skipped, failed, rowsPerSecond },
    error,
    createdBy: { id: row.createdBy, name: row.createdByName },
    createdAt,
    startedAt,
    endedAt,
    expiresAt,
  };
}

export type NewImport = Pick<
  ImportRow,
  | 'id'
  | 'kanbanId'
  | 'fileName'
  | 'fileBytes'
  | 'format'
  | 'rows'
  | 'rowsAreCounted'
  | 'fileProblem'
  | 'columns'
  | 'duplicates'
  | 'timeZone'
  | 'createdBy'
  | 'createdByName'
  | 'createdAt'
  | 'expiresAt'
>;

/** Invisible until the file is in the store. */
export async function insertImport(tx: Tx, accountId: string, one: NewImport): Promise<void> {
  await tx.query(sql`
    insert into imports (account_id, id, kanban_id, file_name, file_bytes, state, format, rows, rows_are_counted,
      file_problem, columns, duplicates, time_zone, created_by, created_by_name, created_at, expires_at)
    values (${accountId}, ${one.id}, ${one.kanbanId}, ${one.fileName}, ${one.fileBytes}, 'receiving',
      ${JSON.stringify(one.format)}, ${one.rows}, ${one.rowsAreCounted},
      ${one.fileProblem && JSON.stringify(one.fileProblem)}, ${JSON.stringify(one.columns)},
      ${JSON.stringify(one.duplicates)}, ${one.timeZone}, ${one.createdBy}, ${one.createdByName}, ${one.createdAt},
      ${one.expiresAt})`);
}

export async function showImport(
  tx: Tx,
  accountId: string,
  id: string,
  expiresAt: number,
): Promise<ImportRow | null> {
  const [row] = await tx.query<ImportRow>(sql`
    update imports set state = 'draft', expires_at = ${expiresAt}
    where account_id = ${accountId} and id = ${id} and state = 'receiving' returning ${columns}`);
  return row ?? null;
}

/** Until the end of the transaction: counting and inserting is serialised per account. */
export async function lockImports(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/imports', 0))`);
}

export async function countImports(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    sql`select count(*)::int as n from imports where account_id = ${accountId} and state <> 'removing'`,
  );
  return row!.n;
}

/** `visible` null: on any board, also a deleted one. */
export async function findImport(
  db: Reader,
  accountId: string,
  id: string,
  visible: string[] | null,
): Promise<ImportRow | null> {
  const [row] = await db.query<ImportRow>(sql`
    select ${columns} from imports where account_id = ${accountId} and id = ${id} and ${isSeen}
      ${visible === null ? empty : sql`and kanban_id = any(${visible}::uuid[])`}`);
  return row ?? null;
}

export async function selectImports(
  db: Reader,
  accountId: string,
  filter: { kanbanId: string | undefined; visible: string[] | null },
  after: { createdAt: number; id: string } | null,
  limit: number,
): Promise<ImportRow[]> {
  return db.query<ImportRow>(sql`
    select ${columns} from imports where account_id = ${accountId} and ${isSeen}
      ${filter.kanbanId === undefined ? empty : sql`and kanban_id = ${filter.kanbanId}`}
      ${filter.visible === null ? empty : sql`and kanban_id = any(${filter.visible}::uuid[])`}
      ${after ? sql`and (created_at, id) < (${after.createdAt}, ${after.id})` : empty}
    order by created_at desc, id desc ${limitTo(limit)}`);
}

/** Null: it is no longer a draft, or was changed meanwhile. */
export async function updateDraft(tx: Tx, accountId: string, draft: ImportRow): Promise<ImportRow | null> {
  const [row] = await tx.query<ImportRow>(sql`
    update imports set revision = revision + 1, kanban_id = ${draft.kanbanId},
      format = ${JSON.stringify(draft.format)}, rows = ${draft.rows}, rows_are_counted = ${draft.rowsAreCounted},
      file_problem = ${draft.fileProblem && JSON.stringify(draft.fileProblem)},
      columns = ${JSON.stringify(draft.columns)}, duplicates = ${JSON.stringify(draft.duplicates)},
      time_zone = ${draft.timeZone}
    where account_id = ${accountId} and id = ${draft.id} and state = 'draft' and revision = ${draft.revision}
    returning ${columns}`);
  return row ?? null;
}

/** Null: it is no longer in any of the states, or was changed meanwhile. */
export async function startRun(
  tx: Tx,
  accountId: string,
  { id, revision }: Pick<ImportRow, 'id' | 'revision'>,
  from: readonly ImportState[],
  runBy: ActorReference,
  now: number,
): Promise<ImportRow | null> {
  const [row] = await tx.query<ImportRow>(sql`
    update imports set state = 'running', run = run + 1, run_by = ${JSON.stringify(runBy)}, run_started_at = ${now},
      run_first_row = rows_done, started_at = coalesce(started_at, ${now}), ended_at = null, error = null
    where account_id = ${accountId} and id = ${id} and state = any(${from}::text[])
      and revision = ${revision}
    returning ${columns}`);
  return row ?? null;
}

export interface RunEnd {
  state: 'cancelled' | 'failed' | 'done';
  error: ImportProblem | null;
  now: number;
  expiresAt: number;
}

/** `run` null: any run. Null: none is running. */
export async function endRun(
  tx: Tx,
  accountId: string,
  id: string,
  run: number | null,
  end: RunEnd,
): Promise<ImportRow | null> {
  const [row] = await tx.query<ImportRow>(sql`
    update imports set state = ${end.state}, error = ${end.error && JSON.stringify(end.error)}, ended_at = ${end.now},
      expires_at = ${end.expiresAt}, rows = case when ${end.state} = 'done' then rows_done else rows end,
      rows_are_counted = rows_are_counted or ${end.state} = 'done'
    where account_id = ${accountId} and id = ${id} and state = 'running' and (${run}::int is null or run = ${run})
    returning ${columns}`);
  return row ?? null;
}

/** [result, recordId, error] */
export type RowResult = [ImportResult, string | null, string | null];

/**
 * The checkpoint with the results of the batch. False: cancelled, removed, or written by another worker; the caller
 * must roll back the records of the batch too.
 */
export async function saveBatch(
  tx: Tx,
  accountId: string,
  { id, run }: Pick<ImportRow, 'id' | 'run'>,
  rowsDone: number,
  results: readonly RowResult[],
): Promise<boolean> {
  const count = (result: ImportResult) => results.filter(([one]) => one === result).length;
  const rows = await tx.query(sql`
    with checkpoint as (
      update imports set rows_done = rows_done + ${results.length}, rows_created = rows_created + ${count('created')},
        rows_updated = rows_updated + ${count('updated')}, rows_skipped = rows_skipped + ${count('skipped')},
        rows_failed = rows_failed + ${count('failed')}
      where account_id = ${accountId} and id = ${id} and state = 'running' and run = ${run}
        and rows_done = ${rowsDone}
      returning account_id, id)
    insert into import_results (account_id, import_id, first_row, results)
    select account_id, id, ${rowsDone + 1}::int, ${JSON.stringify(results)}::jsonb from checkpoint returning 1`);
  return rows.length > 0;
}

export async function selectResults(
  db: Reader,
  accountId: string,
  id: string,
  afterRow: number,
  limit: number,
): Promise<{ firstRow: number; results: RowResult[] }[]> {
  return db.query(sql`
    select first_row as "firstRow", results from import_results
    where account_id = ${accountId} and import_id = ${id} and first_row > ${afterRow}
    order by first_row limit ${limit}`);
}

/** From here on it is invisible, and running jobs can no longer write. */
export async function markRemoving(tx: Tx, accountId: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update imports set state = 'removing', expires_at = ${now}
    where account_id = ${accountId} and id = ${id} and ${isSeen} returning 1`);
  return rows.length > 0;
}

/** Those whose results name one of the records. */
export async function selectImportsOfRecords(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`
    select distinct import_id as id from import_results where account_id = ${accountId} and exists (
      select from jsonb_path_query(results, '$.**') v
      where jsonb_typeof(v) = 'string' and v #>> '{}' = any(${recordIds}::text[]))`,
    { timeoutMs: 60_000 },
  );
  return rows.map(({ id }) => id);
}

export type ExpiredImport = Pick<ImportRow, 'accountId' | 'id' | 'expiresAt'>;

export async function selectExpired(
  db: Reader,
  now: number,
  after: ExpiredImport | null,
  limit: number,
): Promise<ExpiredImport[]> {
  return db.query(sql`
    select account_id as "accountId", id, expires_at as "expiresAt" from imports
    where expires_at <= ${now} and state <> 'running' and ${isServedHere(sql`imports.account_id`)}
      ${after ? sql`and (expires_at, id) > (${after.expiresAt}, ${after.id})` : empty}
    order by expires_at, id limit ${limit}`);
}

/** The row must be unchanged since it was found: one that was started meanwhile stays. */
export async function takeExpired(tx: Tx, accountId: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update imports set state = 'removing' where account_id = ${accountId} and id = ${id} and expires_at <= ${now}
      and state <> 'running' returning 1`);
  return rows.length > 0;
}

export async function deleteImport(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(
    sql`delete from imports where account_id = ${accountId} and id = ${id} and state = 'removing'`,
    { timeoutMs: 60_000 },
  );
}

/** Imports whose job was given up: a worker that died at every attempt cannot report it. */
export async function selectAbandoned(
  db: Reader,
  jobKind: string,
): Promise<{ accountId: string; id: string; run: number }[]> {
  return db.query(sql`
    select account_id as "accountId", id, run from imports i
    where state = 'running' and ${isServedHere(sql`i.account_id`)} and not exists (
      select from jobs j where j.account_id = i.account_id and j.kind = ${jobKind} and j.failed_at is null
        and j.dedupe_key = i.id::text || ' ' || i.run)`);
}

/** In any state. */
export async function selectImportIds(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from imports where account_id = ${accountId}`);
  return rows.map(({ id }) => id);
}
