/**
 * The job that writes the rows. A batch's records, its results and the checkpoint are one transaction, which succeeds
 * only if the checkpoint is the one it started at and the lease is held: after a crash at any moment, the next worker
 * continues from the checkpoint, without duplicates or gaps.
 */
import type { ImportProblem } from '../../../contract/crm/imports.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError, badRequest, forbidden } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type Job, type JobHandler, JobReleased, LeaseLost } from '../../platform/jobs/jobs.ts';
import { type Actor, findActor, may } from '../accounts/accounts.ts';
import { maySee } from '../kanbans/kanbans.ts';
import { chunksOf, type NumberedRow, readDataRows } from './imports.format.ts';
import { createRowReader, problemOf, ruleOf } from './imports.mapped-rows.ts';
import { endRun, findImport, type ImportRow, type RowResult, saveBatch } from './imports.sql.ts';
import { expiryAfter, type ImportsDeps, importAttempts, opener } from './imports.ts';
import { type ReadRow, reasonOf } from './rows/imports.rows.ts';
import {
  batchesAtOnce,
  batchesOf,
  type PreparedRow,
  type RowOutcome,
  type RowsToWrite,
  writeWithFallback,
} from './rows/imports.write.ts';

/** Cancelled, removed or restarted: there is nothing more to do. */
class RunEnded extends Error {}

export function importHandler(deps: ImportsDeps): JobHandler {
  const turns = createSemaphore(batchesAtOnce);
  const inTurn: Runner = (work) => turns.take(() => deps.db.transaction(work));
  return async (job) => {
    const { accountId } = job;
    const [importId, run] = [String(job.payload.importId), Number(job.payload.run)];
    const found = await findImport(deps.db, accountId, importId, null);
    if (found?.state !== 'running' || found.run !== run) return;
    try {
      await writeRows(deps, inTurn, job, found);
    } catch (error) {
      if (error instanceof RunEnded) return;
      if (error instanceof LeaseLost || error instanceof JobReleased) throw error;
      const isFinal = error instanceof AppError && error.status < 500;
      if (!isFinal && job.attempt < importAttempts) throw error;
      if (!isFinal) deps.logger.error({ err: error, importId }, 'an import failed permanently');
      await end(deps, job, found, problemFrom(error));
    }
  };
}

type Runner = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

async function writeRows(deps: ImportsDeps, inTurn: Runner, job: Job, found: ImportRow): Promise<void> {
  let { rowsDone } = found;
  const stream = await opener(deps.blobs, found.accountId, found.id)();
  for await (const rows of readDataRows(chunksOf(stream), found.format)) {
    if (job.isStopping()) throw new JobReleased('the service is stopping');
    const left = rows.filter(({ row }) => row > rowsDone);
    for (const batch of batchesOf(left)) {
      if (job.isStopping()) throw new JobReleased('the service is stopping');
      await writeBatch(deps, inTurn, job, found, rowsDone, batch);
      rowsDone += batch.length;
    }
  }
  await end(deps, job, found, null);
}

async function writeBatch(
  deps: ImportsDeps,
  inTurn: Runner,
  job: Job,
  found: ImportRow,
  rowsDone: number,
  rows: readonly NumberedRow[],
): Promise<void> {
  await writeWithFallback(deps.logger, (write) =>
    inTurn((tx) =>
      deps.definitions.withDefinitions(tx, found.accountId, async (definitions) => {
        const now = deps.clock.now();
        const actor = await requireWriter(tx, found, now);
        const kanban = definitions.kanbans.get(found.kanbanId);
        if (!kanban || !maySee(actor, kanban)) {
          throw forbidden(
            'the kanban no longer exists, or the user who started the import has no access to it',
            {
              kind: 'boardGone',
            },
          );
        }
        const batch = { actor, now, definitions, kanban, duplicates: duplicatesOf(found), inDoubt: false };
        const read = createRowReader(kanban, found.columns, found.timeZone);
        const outcomes = await write(
          tx,
          batch,
          rows.map((one) => prepare(found, read, one)),
        );
        if (!(await saveBatch(tx, found.accountId, found, rowsDone, outcomes.map(toResult))))
          throw new RunEnded();
        await job.keep(tx);
      }),
    ),
  );
}

function prepare({ columns }: ImportRow, read: (row: NumberedRow) => ReadRow, one: NumberedRow): PreparedRow {
  const row = read(one);
  const problem = problemOf(columns, row);
  return { row: one.row, recordId: newId(), input: problem === null ? row.input : badRequest(problem) };
}

function duplicatesOf({ duplicates }: ImportRow): RowsToWrite['duplicates'] {
  const { action } = duplicates;
  return action === 'create' ? null : { rule: ruleOf(duplicates), update: action === 'update' };
}

function toResult({ status, recordId, error, changed }: RowOutcome): RowResult {
  if (status === 201) return ['created', recordId ?? null, null];
  if (status === 200) return [changed ? 'updated' : 'skipped', recordId ?? null, null];
  // A truncated name may end with half a character, which the database rejects.
  return ['failed', null, error?.toWellFormed() ?? null];
}

/** With the current role and scopes: an import must not bypass revoked rights. */
async function requireWriter(tx: Tx, { accountId, runBy }: ImportRow, now: number): Promise<Actor> {
  const actor = runBy && (await findActor(tx, accountId, runBy, now));
  if (!actor)
    throw forbidden('the user or token that started this import no longer exists', { kind: 'starterGone' });
  if (!may(actor, 'records.import')) {
    throw forbidden('the user or token that started the import can no longer write records', {
      kind: 'mayNotWrite',
    });
  }
  return actor;
}

async function end(
  { db, clock }: ImportsDeps,
  job: Job,
  { accountId, id, run }: ImportRow,
  error: ImportProblem | null,
): Promise<void> {
  const now = clock.now();
  const state = error ? 'failed' : 'done';
  await db.transaction(async (tx) => {
    await job.complete(tx);
    await endRun(tx, accountId, id, run, { state, error, now, expiresAt: expiryAfter(now) });
  });
}

function problemFrom(error: unknown): ImportProblem {
  if (error instanceof AppError) {
    return { row: null, code: error.code, message: error.message, ...reasonOf(error) };
  }
  return {
    row: null,
    code: 'INTERNAL',
    message: 'something went wrong on our side; the import can be resumed',
    reason: { kind: 'internal' },
  };
}
