/** One batch of a streamed import: tried again while the database is away, and never written twice. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ImportRowResult } from '../../../../contract/shapes/csv.ts';
import type { Turns } from '../../../platform/concurrency/semaphore.ts';
import type { CsvRow } from '../../../platform/csv/read-csv.ts';
import { type Db, isUniqueViolation, type Tx } from '../../../platform/db/db.ts';
import { AppError, isTemporary } from '../../../platform/http/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { type Definitions, type DefinitionsCache, requireKanban } from '../../kanbans/kanbans.ts';
import type { CsvColumn } from '../../records/records.ts';
import { refusal, type WriteRows, writeWithFallback } from '../rows/imports.write.ts';
import { readStreamedRow } from './imports.stream.rows.ts';

export interface BatchDeps {
  db: Db;
  logger: Logger;
  definitions: DefinitionsCache;
  turns: Turns;
}

export interface StreamedRow extends CsvRow {
  row: number;
  /** Given before the first try, so that a batch whose commit is in doubt is not written twice. */
  recordId: string;
}

export interface Batch {
  /** Who imports, asked again for each batch: a token may be revoked meanwhile. */
  actor: () => Promise<Actor>;
  now: number;
  kanbanId: string;
  columns: readonly CsvColumn[];
  rows: readonly StreamedRow[];
}

/** Together about 8 s: a restart of the database is shorter. */
const unavailableDelaysMs = [250, 500, 1_000, 2_000, 4_000];

/** A result for each row, committed. Rows of a batch that could not be written get a 503. */
export async function writeBatch(deps: BatchDeps, batch: Batch): Promise<ImportRowResult[]> {
  const { db, definitions, logger, turns } = deps;
  for (let unavailable = 0; ; ) {
    const inDoubt = unavailable > 0;
    try {
      return await writeWithFallback(logger, async (write) => {
        const actor = await batch.actor();
        return turns.take(() =>
          db.transaction((tx) =>
            definitions.withDefinitions(tx, actor.accountId, (current) =>
              writeRows(tx, write, batch, actor, current, inDoubt),
            ),
          ),
        );
      });
    } catch (error) {
      // The earlier try had committed after all, between our look and our insert.
      if (inDoubt && isUniqueViolation(error, 'records_pkey')) continue;
      if (!(error instanceof AppError) || !isTemporary(error)) throw error;
      const wait = unavailableDelaysMs[unavailable++];
      if (wait === undefined) return batch.rows.map(({ row }) => ({ row, ...refusal(error) }));
      await delay(wait);
    }
  }
}

async function writeRows(
  tx: Tx,
  write: WriteRows,
  { now, kanbanId, columns, rows }: Batch,
  actor: Actor,
  definitions: Definitions,
  inDoubt: boolean,
): Promise<ImportRowResult[]> {
  const kanban = requireKanban(definitions, actor, kanbanId);
  const duplicates = { rule: { by: 'titleAndChannel' }, update: false } as const;
  const outcomes = await write(
    tx,
    { actor, now, definitions, kanban, duplicates, inDoubt },
    rows.map((one) => ({
      row: one.row,
      recordId: one.recordId,
      input: readStreamedRow(kanban, columns, one),
    })),
  );
  return rows.map(({ row }, index) => {
    const { changed, ...outcome } = outcomes[index]!;
    return { row, ...outcome };
  });
}
