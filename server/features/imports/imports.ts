/** The rules of stored imports: who sees them, which transitions are allowed, and how they end. */
import type { ImportJob, ImportsQuery } from '../../../contract/crm/imports.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { decodeCell } from '../../platform/csv/csv.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { AppError, badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type Definitions, type DefinitionsCache, requireKanban } from '../kanbans/kanbans.ts';
import { auditImport } from '../records/records.ts';
import { readRows } from './imports.format.ts';
import type { OpenFile } from './imports.inspect.ts';
import {
  deleteImport,
  type ExpiredImport,
  endRun,
  findImport,
  type ImportRow,
  markRemoving,
  selectAbandoned,
  selectExpired,
  selectImportIds,
  selectImports,
  selectImportsOfRecords,
  startRun,
  takeExpired,
  toImport,
} from './imports.sql.ts';

export interface ImportsDeps {
  db: Db;
  blobs: BlobStore;
  clock: Clock;
  logger: Logger;
  definitions: DefinitionsCache;
}

export const importJobKind = jobKind('import');
/** Attempts without progress; each written batch resets the count. */
export const importAttempts = 10;
const keptMs = limits.importKeptDays * 24 * 3_600_000;

export const expiryAfter = (now: number) => now + keptMs;
export const fileKeyOf = (accountId: string, id: string) => `${accountId}/imports/${id}`;

export function opener(blobs: BlobStore, accountId: string, id: string): OpenFile {
  return async () => {
    const stream = await blobs.open(fileKeyOf(accountId, id));
    if (!stream) throw notFound('file of the import');
    return stream;
  };
}

export async function requireImport(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  id: string,
): Promise<ImportRow> {
  const found = isId(id) ? await findImport(db, actor.accountId, id, visible) : null;
  if (!found) throw notFound('import');
  return found;
}

export async function listImports(
  { db, clock, pageTokens }: { db: Reader; clock: Clock; pageTokens: PageTokens },
  actor: Actor,
  visible: string[] | null,
  { kanbanId, limit, nextToken }: ImportsQuery,
): Promise<Page<ImportJob>> {
  const size = pageSize(limit, limits.listPage);
  const scope = ['imports', actor.accountId, kanbanId];
  const cursor = nextToken === undefined ? null : pageTokens.read(nextToken, scope);
  if (kanbanId !== undefined && !isId(kanbanId)) return { items: [], nextToken: null };
  const after = cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) };
  const rows = await selectImports(db, actor.accountId, { kanbanId, visible }, after, size + 1);
  const now = clock.now();
  return cutPage(
    rows.map((row) => toImport(row, now)),
    size,
    (last) => pageTokens.issue([last.createdAt, last.id], scope),
  );
}

export async function startImport(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  found: ImportRow,
): Promise<ImportJob> {
  requireKanban(definitions, actor, found.kanbanId);
  checkMapping(found);
  const refusal = 'only an import that has not started can be started';
  const started = await run(tx, actor, now, found, ['draft'], refusal);
  await auditImport(tx, actor, now, found.kanbanId);
  return started;
}

export async function resumeImport(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  found: ImportRow,
): Promise<ImportJob> {
  requireKanban(definitions, actor, found.kanbanId);
  const reason = 'only a cancelled or failed import can be resumed';
  return run(tx, actor, now, found, ['cancelled', 'failed'], reason);
}

function checkMapping({ columns, duplicates }: ImportRow): void {
  const targets = columns.map((column) => column.target);
  const onlyUpdates = duplicates.action === 'update' && duplicates.by === 'field';
  if (!targets.includes('title') && !onlyUpdates) {
    throw badRequest('title is required: map a column to it');
  }
  if (duplicates.by === 'field' && duplicates.action !== 'create' && !targets.includes(duplicates.fieldId)) {
    throw badRequest('duplicates.fieldId is required: a column must be mapped to it');
  }
}

async function run(
  tx: Tx,
  actor: Actor,
  now: number,
  found: ImportRow,
  from: Parameters<typeof startRun>[3],
  refusal: string,
): Promise<ImportJob> {
  const { accountId } = actor;
  const { id } = found;
  const started = await startRun(tx, accountId, found, from, { kind: actor.kind, id: actor.id }, now);
  if (!started) throw await whyNot(tx, found, from, refusal);
  await enqueue(tx, {
    accountId,
    kind: importJobKind,
    payload: { importId: id, run: started.run },
    dedupeKey: `${id} ${started.run}`,
    maxAttempts: importAttempts,
  });
  return toImport(started, now);
}

/** A change found the import in another state, or changed in the same state. */
export async function whyNot(
  tx: Tx,
  { accountId, id }: ImportRow,
  states: readonly ImportRow['state'][],
  refusal: string,
): Promise<AppError> {
  const current = await findImport(tx, accountId, id, null);
  const isOther = current !== null && states.includes(current.state);
  return conflict(isOther ? 'the import was changed in the meantime; reload it' : refusal);
}

/** At once: a running batch notices before it commits, and is rolled back. */
export async function cancelImport(tx: Tx, actor: Actor, now: number, { id }: ImportRow): Promise<ImportJob> {
  const end = { state: 'cancelled', error: null, now, expiresAt: expiryAfter(now) } as const;
  const ended = await endRun(tx, actor.accountId, id, null, end);
  if (!ended) throw conflict('only a running import can be cancelled');
  return toImport(ended, now);
}

/** The row is deleted last: an interrupted removal is repeated. */
export async function removeImport(
  deps: Pick<ImportsDeps, 'db' | 'blobs' | 'clock'>,
  accountId: string,
  id: string,
): Promise<void> {
  const marked = await deps.db.transaction((tx) => markRemoving(tx, accountId, id, deps.clock.now()));
  if (!marked) throw notFound('import');
  await removeFile(deps, accountId, id);
}

async function removeFile(
  { db, blobs }: Pick<ImportsDeps, 'db' | 'blobs'>,
  accountId: string,
  id: string,
): Promise<void> {
  await blobs.delete(fileKeyOf(accountId, id));
  await db.transaction((tx) => deleteImport(tx, accountId, id));
}

const prunedAtOnce = 100;

export async function pruneImports(deps: ImportsDeps): Promise<void> {
  const { db, clock, logger } = deps;
  const now = clock.now();
  for (const { accountId, id, run: abandoned } of await selectAbandoned(db, importJobKind)) {
    const error = { row: null, code: 'INTERNAL', message: 'the import stopped; it can be resumed' };
    const end = { state: 'failed', error, now, expiresAt: expiryAfter(now) } as const;
    await db.transaction((tx) => endRun(tx, accountId, id, abandoned, end));
  }
  // Each is tried once, oldest first: one that cannot be removed waits for the next round without blocking the
  // others.
  let last: ExpiredImport | null = null;
  for (;;) {
    const expired: ExpiredImport[] = await selectExpired(db, now, last, prunedAtOnce);
    for (const { accountId, id } of expired) {
      try {
        if (await db.transaction((tx) => takeExpired(tx, accountId, id, now))) {
          await removeFile(deps, accountId, id);
        }
      } catch (error) {
        logger.warn({ err: error, importId: id }, 'an old import could not be removed');
      }
    }
    if (expired.length < prunedAtOnce) return;
    last = expired.at(-1)!;
  }
}

/** An account has at most a few dozen. */
const every = 10_000;

/**
 * Removes imports that hold rows of a person who is erased, with their file and results; returns how many. `isInCell`:
 * whether a cell of a file names the person.
 */
export async function eraseImportsOf(
  deps: Pick<ImportsDeps, 'db' | 'blobs' | 'clock'>,
  accountId: string,
  recordIds: readonly string[],
  isInCell: (text: string) => boolean,
): Promise<number> {
  const named = new Set(await selectImportsOfRecords(deps.db, accountId, recordIds));
  let removed = 0;
  for (const found of await selectImports(
    deps.db,
    accountId,
    { kanbanId: undefined, visible: null },
    null,
    every,
  )) {
    if (!named.has(found.id) && !(await isInFile(deps, found, isInCell))) continue;
    await removeImport(deps, accountId, found.id);
    removed++;
  }
  return removed;
}

/** Of an account that goes: every import with its file. */
export async function eraseAllImports(
  deps: Pick<ImportsDeps, 'db' | 'blobs'>,
  accountId: string,
): Promise<void> {
  for (const id of await selectImportIds(deps.db, accountId)) await removeFile(deps, accountId, id);
}

/** Also if the file cannot be read to its end: what follows may name the person. */
async function isInFile(
  { blobs }: Pick<ImportsDeps, 'blobs'>,
  { accountId, id, format }: ImportRow,
  isInCell: (text: string) => boolean,
): Promise<boolean> {
  const stream = await blobs.open(fileKeyOf(accountId, id));
  if (!stream) return false;
  try {
    for await (const rows of readRows(stream, format)) {
      if (rows.some(({ cells }) => cells.some((cell) => isInCell(textOf(cell))))) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  } finally {
    stream.destroy();
  }
}

function textOf(cell: string): string {
  try {
    return decodeCell(cell, 'the cell');
  } catch {
    return cell;
  }
}
