/** One batch of an import: the rules of a create for each row, and one statement for all that passed them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ImportRowResult } from '../../../contract/csv.ts';
import { type Record, RecordCreate } from '../../../contract/records.ts';
import type { RawCell } from '../../platform/csv.ts';
import { type Db, isRefusedValue, isUniqueViolation, type Tx } from '../../platform/db.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Turns } from '../../platform/turns.ts';
import { checkObject } from '../../platform/validation.ts';
import { type Actor, findUserIds } from '../accounts/accounts.ts';
import { type Definitions, type DefinitionsCache, requireKanban } from '../kanbans/kanbans.ts';
import { type Column, readRow } from './records.csv.ts';
import { recordCreated } from './records.events.ts';
import {
  duplicateKeyText,
  findManyDuplicates,
  insertRecords,
  selectExistingRecordIds,
} from './records.import.sql.ts';
import { lockDuplicates } from './records.sql.ts';
import { newRecord } from './records.ts';

export interface BatchDeps {
  db: Db;
  logger: Logger;
  definitions: DefinitionsCache;
  turns: Turns;
}

export interface ImportRow {
  row: number;
  /** Given before the first try, so that a batch whose commit is in doubt is not written twice. */
  recordId: string;
  cells: readonly RawCell[];
}

export interface Batch {
  /** Who imports, asked again for each batch: a token may be revoked meanwhile. */
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

/** Together about 8 s: a restart of the database is shorter. */
const unavailableDelaysMs = [250, 500, 1_000, 2_000, 4_000];

/** A result for each row, committed. Rows of a batch that could not be written get a 503. */
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
      // The earlier try had committed after all, between our look and our insert.
      if (inDoubt && isUniqueViolation(error, 'records_pkey')) continue;
      if (isRefusedValue(error) && !oneByOne) {
        oneByOne = true;
        continue;
      }
      if (!(error instanceof AppError) || error.code !== 'UNAVAILABLE') throw error;
      const wait = unavailableDelaysMs[unavailable++];
      if (wait === undefined) return batch.rows.map((row) => failure(row, error));
      await delay(wait);
    }
  }
}

export function failure({ row }: { row: number }, error: AppError): ImportRowResult {
  return { row, ...refusal(error) };
}

type Outcome = Omit<ImportRowResult, 'row'>;

function refusal({ status, message, code }: AppError): Outcome {
  return { status, error: message, code };
}

/** No rule of ours foresaw what the database refuses here: the row fails as the single request would, alone. */
async function writeOneByOne(tx: Tx, attempt: Attempt): Promise<ImportRowResult[]> {
  const results: ImportRowResult[] = [];
  for (const row of attempt.rows) {
    try {
      results.push(...(await tx.savepoint(() => writeRows(tx, { ...attempt, rows: [row] }))));
    } catch (error) {
      if (!isRefusedValue(error) || isUniqueViolation(error, 'records_pkey')) throw error;
      attempt.logger.error({ err: error, row: row.row }, 'the database refused a row of an import');
      results.push(failure(row, new AppError(500, 'INTERNAL', 'something went wrong on our side')));
    }
  }
  return results;
}

async function writeRows(tx: Tx, attempt: Attempt): Promise<ImportRowResult[]> {
  const { actor, now, definitions, columns, rows, inDoubt } = attempt;
  const kanban = requireKanban(definitions, actor, attempt.kanbanId);
  /** By the id that the row's record would have; a row without an outcome is created. */
  const outcomes = new Map<string, Outcome>();
  const records = new Map<string, Record>();
  for (const row of rows) {
    try {
      const input = checkObject(RecordCreate, readRow(kanban, columns, row.cells));
      records.set(row.recordId, { ...newRecord(actor, now, kanban, input), recordId: row.recordId });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      outcomes.set(row.recordId, refusal(error));
    }
  }
  const settle = (recordId: string, outcome: Outcome) => {
    records.delete(recordId);
    outcomes.set(recordId, outcome);
  };

  for (const [recordId, error] of await assignUsers(tx, actor.accountId, records)) {
    settle(recordId, refusal(error));
  }
  if (inDoubt) {
    for (const id of await selectExistingRecordIds(tx, actor.accountId, [...records.keys()])) {
      settle(id, { status: 201, recordId: id });
    }
  }
  for (const [recordId, existing] of await findExisting(tx, actor.accountId, kanban.id, records)) {
    settle(recordId, { status: 200, recordId: existing });
  }

  const created = [...records.values()];
  if (created.length > 0) {
    const events = created.map((record) => recordCreated(record, now));
    await insertRecords(tx, actor.accountId, created, events);
  }
  return rows.map(({ row, recordId }) => ({ row, ...(outcomes.get(recordId) ?? { status: 201, recordId }) }));
}

/** Replaces e-mail addresses by ids in place; answers the records that name nobody. */
async function assignUsers(
  tx: Tx,
  accountId: string,
  records: ReadonlyMap<string, Record>,
): Promise<Map<string, AppError>> {
  const refused = new Map<string, AppError>();
  const names = new Set([...records.values()].flatMap((record) => record.assignedUserIds));
  if (names.size === 0) return refused;
  const ids = await findUserIds(tx, accountId, [...names]);
  for (const [recordId, record] of records) {
    const unknown = record.assignedUserIds.find((name) => !ids.has(name));
    if (unknown !== undefined) {
      refused.set(recordId, badRequest(`assignedUserIds has an unknown user: ${unknown.slice(0, 100)}`));
    }
    record.assignedUserIds = [...new Set(record.assignedUserIds.map((name) => ids.get(name)!))];
  }
  return refused;
}

/** Records that are there already, before this batch or earlier in it, by the id of the one not to be made. */
async function findExisting(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  records: ReadonlyMap<string, Record>,
): Promise<Map<string, string>> {
  const keys = [...records.values()].flatMap(({ channelId, title }) =>
    channelId === null ? [] : [{ kanbanId, channelId, title }],
  );
  const existing = new Map<string, string>();
  if (keys.length === 0) return existing;
  lockDuplicates(tx, accountId, keys);
  const found = await findManyDuplicates(tx, accountId, kanbanId, keys);
  for (const [recordId, { channelId, title }] of records) {
    if (channelId === null) continue;
    const key = duplicateKeyText(channelId, title);
    const earlier = found.get(key);
    if (earlier) existing.set(recordId, earlier);
    else found.set(key, recordId);
  }
  return existing;
}
