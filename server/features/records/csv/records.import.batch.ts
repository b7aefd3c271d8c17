/** One batch of an import: the rules of a create for each row, and one statement for all valid ones. */
import { setTimeout as delay } from 'node:timers/promises';
import { RecordCreate } from '../../../../contract/records.ts';
import type { ImportRowResult } from '../../../../contract/shapes/csv.ts';
import type { Turns } from '../../../platform/concurrency/semaphore.ts';
import type { CsvRow } from '../../../platform/csv/read-csv.ts';
import { type Db, isRefusedValue, isUniqueViolation, type Tx } from '../../../platform/db/db.ts';
import { AppError, isTemporary } from '../../../platform/http/errors.ts';
import { checkObject } from '../../../platform/http/validation.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { type Definitions, type DefinitionsCache, requireKanban } from '../../kanbans/kanbans.ts';
import { type Column, readRow } from './records.csv.ts';
import { refusal, writeManyRows } from './records.import.rows.ts';

export interface BatchDeps {
  db: Db;
  logger: Logger;
  definitions: DefinitionsCache;
  turns: Turns;
}

export interface ImportRow extends CsvRow {
  row: number;
  /** Assigned before the first try, so that a batch with an unknown outcome is not written twice. */
  recordId: string;
}

export interface Batch {
  /** The importing actor, checked again for each batch: a token may be revoked meanwhile. */
  actor: () => Promise<Actor>;
  now: number;
  kanbanId: string;
  columns: readonly Column[];
  rows: readonly ImportRow[];
}

interface Attempt extends Omit<Batch, 'actor'> {
  actor: Actor;
  definitions: Definitions;
  /** An earlier attempt may have been committed. */
  inDoubt: boolean;
  logger: Logger;
}

/** Together about 8 s: longer than a restart of the database. */
const unavailableDelaysMs = [250, 500, 1_000, 2_000, 4_000];

/** A committed result for each row. Rows of a batch that could not be written get a 503. */
export async function writeBatch(deps: BatchDeps, batch: Batch): Promise<ImportRowResult[]> {
  let unavailable = 0;
  let oneByOne = false;
  for (;;) {
    const inDoubt = unavailable > 0;
    try {
      const actor = await batch.actor();
      const write = oneByOne ? writeOneByOne : writeRows;
      const attempt = { ...batch, actor, inDoubt, logger: deps.logger };
      return await deps.turns.take(() =>
        deps.db.transaction((tx) =>
          deps.definitions.withDefinitions(tx, actor.accountId, (definitions) =>
            write(tx, { ...attempt, definitions }),
          ),
        ),
      );
    } catch (error) {
      // The earlier try had committed after all, between our check and our insert.
      if (inDoubt && isUniqueViolation(error, 'records_pkey')) continue;
      if (isRefusedValue(error) && !oneByOne) {
        oneByOne = true;
        continue;
      }
      if (!(error instanceof AppError) || !isTemporary(error)) throw error;
      const wait = unavailableDelaysMs[unavailable++];
      if (wait === undefined) return batch.rows.map((row) => failure(row, error));
      await delay(wait);
    }
  }
}

function failure({ row }: { row: number }, error: AppError): ImportRowResult {
  return { row, ...refusal(error) };
}

/** The database rejected a value that our rules accepted: the row fails as the single request would, alone. */
async function writeOneByOne(tx: Tx, attempt: Attempt): Promise<ImportRowResult[]> {
  const results: ImportRowResult[] = [];
  for (const row of attempt.rows) {
    try {
      results.push(...(await tx.savepoint(() => writeRows(tx, { ...attempt, rows: [row] }))));
    } catch (error) {
      if (!isRefusedValue(error) || isUniqueViolation(error, 'records_pkey')) throw error;
      attempt.logger.error({ err: error, row: row.row }, 'the database rejected a row of an import');
      results.push(failure(row, new AppError(500, 'INTERNAL', 'something went wrong on our side')));
    }
  }
  return results;
}

async function writeRows(tx: Tx, attempt: Attempt): Promise<ImportRowResult[]> {
  const { actor, now, definitions, columns, rows, inDoubt } = attempt;
  const kanban = requireKanban(definitions, actor, attempt.kanbanId);
  const prepared = rows.map(({ recordId, cells, problem }) => {
    try {
      if (problem) throw problem;
      return { recordId, input: checkObject(RecordCreate, readRow(kanban, columns, cells)) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { recordId, input: error };
    }
  });
  const duplicates = { rule: { by: 'titleAndChannel' }, update: false } as const;
  const outcomes = await writeManyRows(
    tx,
    { actor, now, definitions, kanban, duplicates, inDoubt },
    prepared,
  );
  return rows.map(({ row }, index) => {
    const { changed, ...outcome } = outcomes[index]!;
    return { row, ...outcome };
  });
}
