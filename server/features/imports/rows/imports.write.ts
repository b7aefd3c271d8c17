/**
 * Many rows of an import in the transaction of their batch: the rules of a create for each, one statement for all new
 * ones.
 */

import type { CrmRecord, RecordCreate } from '../../../../contract/crm/records.ts';
import type { ImportRowResult } from '../../../../contract/shapes/csv.ts';
import { isRefusedValue, isUniqueViolation, type Reader, type Tx } from '../../../platform/db/db.ts';
import { armDates, startNoRules } from '../../../platform/events/no-rules.ts';
import { AppError, badRequest } from '../../../platform/http/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Actor, findUserIds } from '../../accounts/accounts.ts';
import type { Definitions, KanbanDefinition } from '../../kanbans/kanbans.ts';
import { listLabels } from '../../labels/labels.ts';
import {
  changeRecord,
  duplicateKeyText,
  type FieldValues,
  findManyByLookup,
  findManyDuplicates,
  insertRecords,
  lockDuplicates,
  lockLookups,
  lockRecords,
  lookupKey,
  newRecord,
  recordCreated,
  selectExistingRecordIds,
} from '../../records/records.ts';

/** Larger batches are hardly faster, but hold a connection, their locks and several copies of their rows for longer. */
const rowsPerBatch = 100;
/** Of a pool of 16 connections, for the imports of one kind in this process; and each may hold the locks of 100 titles. */
export const batchesAtOnce = 2;

export function* batchesOf<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += rowsPerBatch)
    yield rows.slice(start, start + rowsPerBatch);
}

/** How a row is matched with an existing record. */
export type DuplicateRule = { by: 'titleAndChannel' } | { by: 'field'; fieldId: string };

export interface RowsToWrite {
  actor: Actor;
  now: number;
  definitions: Definitions;
  kanban: KanbanDefinition;
  /** Null: every row is created. `update` changes existing records instead of leaving them unchanged. */
  duplicates: { rule: DuplicateRule; update: boolean } | null;
  /** An earlier attempt may have been committed. */
  inDoubt: boolean;
}

export interface PreparedRow {
  /** In the file, from 1. */
  row: number;
  /** The id that its record would have. */
  recordId: string;
  /** An error: the row is rejected with it. */
  input: RecordCreate | AppError;
}

export interface RowOutcome extends Omit<ImportRowResult, 'row'> {
  /** The record existed and was changed. */
  changed?: true;
}

export function refusal({ status, message, code }: AppError): RowOutcome {
  return { status, error: message, code };
}

/** An outcome for each row, in order. The transaction must hold the definitions. */
export type WriteRows = (tx: Tx, batch: RowsToWrite, rows: readonly PreparedRow[]) => Promise<RowOutcome[]>;

/**
 * Writes a batch in one transaction, which `attempt` opens. When the database refuses a value that no rule of ours
 * foresaw, once more, each row on its own: only the row that it refuses fails.
 */
export async function writeWithFallback<T>(
  logger: Logger,
  attempt: (write: WriteRows) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(writeTogether);
  } catch (error) {
    if (!isRefusedRow(error)) throw error;
    return attempt((tx, batch, rows) => writeOneByOne(logger, tx, batch, rows));
  }
}

/** An id that exists already is not an error of the row: an earlier attempt was committed after all. */
const isRefusedRow = (error: unknown) => isRefusedValue(error) && !isUniqueViolation(error, 'records_pkey');

async function writeOneByOne(
  logger: Logger,
  tx: Tx,
  batch: RowsToWrite,
  rows: readonly PreparedRow[],
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  for (const row of rows) {
    try {
      outcomes.push(...(await tx.savepoint(() => writeTogether(tx, batch, [row]))));
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      logger.error({ err: error, row: row.row }, 'the database rejected a row of an import');
      outcomes.push(refusal(new AppError(500, 'INTERNAL', 'something went wrong on our side')));
    }
  }
  return outcomes;
}

async function writeTogether(
  tx: Tx,
  batch: RowsToWrite,
  rows: readonly PreparedRow[],
): Promise<RowOutcome[]> {
  const { actor, now, kanban, duplicates, inDoubt } = batch;
  const { accountId } = actor;
  await startNoRules(tx);
  await armDates(tx, accountId);
  /** By the id that the row's record would have; a row without an outcome is created. */
  const outcomes = new Map<string, RowOutcome>();
  const records = new Map<string, CrmRecord>();
  const untitled = new Set<string>();
  for (const { recordId, input } of rows) {
    try {
      if (input instanceof AppError) throw input;
      // An existing record has a title; only a row that would be created needs one.
      const mayLackTitle = duplicates?.update === true && input.title.trim() === '';
      if (mayLackTitle) untitled.add(recordId);
      const parts = mayLackTitle ? { ...input, title: '-' } : input;
      records.set(recordId, { ...newRecord(actor, now, kanban, parts), recordId });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      outcomes.set(recordId, refusal(error));
    }
  }
  const settle = (recordId: string, outcome: RowOutcome) => {
    records.delete(recordId);
    outcomes.set(recordId, outcome);
  };

  for (const [recordId, error] of await assignUsers(tx, accountId, records)) settle(recordId, refusal(error));
  for (const [recordId, error] of await assignLabels(tx, accountId, records))
    settle(recordId, refusal(error));
  if (inDoubt) {
    for (const id of await selectExistingRecordIds(tx, accountId, [...records.keys()])) {
      settle(id, { status: 201, recordId: id });
    }
  }
  const updates = new Map<string, CrmRecord>();
  if (duplicates) {
    await lockKeys(tx, accountId, kanban.id, records, duplicates.rule);
    const existing = await findExisting(tx, accountId, kanban.id, records, {
      rule: duplicates.rule,
      neverNew: untitled,
    });
    for (const [recordId, found] of existing) {
      if (duplicates.update) updates.set(recordId, records.get(recordId)!);
      settle(recordId, { status: 200, recordId: found });
    }
  }
  for (const recordId of untitled) {
    if (records.has(recordId)) settle(recordId, refusal(badRequest('title is required')));
  }

  const created = [...records.values()];
  if (created.length > 0) {
    const rows = created.map((record) => ({ record, event: recordCreated(record, now) }));
    await insertRecords(tx, accountId, rows);
  }
  // After the inserts: a row may change what an earlier one of the same batch has created.
  await applyUpdates(tx, batch, rows, updates, untitled, outcomes);
  return rows.map(({ recordId }) => outcomes.get(recordId) ?? { status: 201, recordId });
}

/** Empty cells change nothing, and the channel of a record never changes. */
async function applyUpdates(
  tx: Tx,
  { actor, now, definitions }: RowsToWrite,
  rows: readonly PreparedRow[],
  updates: ReadonlyMap<string, CrmRecord>,
  untitled: ReadonlySet<string>,
  outcomes: Map<string, RowOutcome>,
): Promise<void> {
  if (updates.size === 0) return;
  const targets = [...updates.keys()].map((recordId) => outcomes.get(recordId)!.recordId!);
  await lockRecords(tx, actor.accountId, [...new Set(targets)]);
  for (const { recordId, input } of rows) {
    const record = updates.get(recordId);
    if (!record || input instanceof AppError) continue;
    const found = outcomes.get(recordId)!.recordId!;
    const change = {
      ...(!untitled.has(recordId) && { title: record.title }),
      ...(input.status !== undefined && { status: record.status }),
      ...(input.assignedUserIds !== undefined && { assignedUserIds: record.assignedUserIds }),
      customFields: record.customFields,
    };
    const before = tx.emitted.length;
    try {
      await changeRecord(tx, actor, now, definitions, found, change);
      if (tx.emitted.length > before) outcomes.set(recordId, { status: 200, recordId: found, changed: true });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      outcomes.set(recordId, refusal(error));
    }
  }
}

/** Replaces e-mail addresses by ids in place; returns the records with an unknown user. */
async function assignUsers(
  tx: Reader,
  accountId: string,
  records: ReadonlyMap<string, CrmRecord>,
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

/** Replaces names by ids in place; returns the records with an unknown label. */
async function assignLabels(
  tx: Reader,
  accountId: string,
  records: ReadonlyMap<string, CrmRecord>,
): Promise<Map<string, AppError>> {
  const refused = new Map<string, AppError>();
  const labelled = [...records].filter(([, { labelIds }]) => labelIds.length > 0);
  if (labelled.length === 0) return refused;
  const known = await listLabels(tx, accountId);
  const ids = new Map(known.map(({ id, name }) => [name.toLowerCase(), id]));
  for (const [recordId, record] of labelled) {
    const unknown = record.labelIds.find((name) => !ids.has(name.toLowerCase()));
    if (unknown !== undefined) {
      refused.set(recordId, badRequest(`labelNames has an unknown label: ${unknown.slice(0, 100)}`));
    }
    record.labelIds = [...new Set(record.labelIds.map((name) => ids.get(name.toLowerCase())!))].sort();
  }
  return refused;
}

/** Two simultaneous imports of the same record are serialised. */
async function lockKeys(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  records: ReadonlyMap<string, CrmRecord>,
  rule: DuplicateRule,
): Promise<void> {
  if (rule.by === 'titleAndChannel') {
    const keys = keysOf(records, kanbanId);
    if (keys.length > 0) await lockDuplicates(tx, accountId, keys);
  } else {
    const keys = [...records.values()].flatMap((record) => keyOf(record, rule) ?? []);
    if (keys.length > 0) await lockLookups(tx, accountId, kanbanId, [...new Set(keys)]);
  }
}

export interface DuplicateSearch {
  rule: DuplicateRule;
  /** Rows that create no record of which a later row could be a duplicate. */
  neverNew: ReadonlySet<string>;
  /** Records that rows of earlier batches would create, by their key; filled with those of this batch. */
  planned?: Map<string, string>;
}

/** Existing records, from before this batch or earlier in it, by the id of the record not to be created. */
export async function findExisting(
  db: Reader,
  accountId: string,
  kanbanId: string,
  records: ReadonlyMap<string, CrmRecord>,
  { rule, neverNew, planned = new Map() }: DuplicateSearch,
): Promise<Map<string, string>> {
  const existing = new Map<string, string>();
  const found = await findByKeys(db, accountId, kanbanId, records, rule);
  for (const [recordId, record] of records) {
    const key = keyOf(record, rule);
    if (key === null) continue;
    const earlier = found.get(key) ?? planned.get(key);
    if (earlier) existing.set(recordId, earlier);
    else if (!neverNew.has(recordId)) planned.set(key, recordId);
  }
  return existing;
}

async function findByKeys(
  db: Reader,
  accountId: string,
  kanbanId: string,
  records: ReadonlyMap<string, CrmRecord>,
  rule: DuplicateRule,
): Promise<Map<string, string>> {
  if (rule.by === 'titleAndChannel') {
    const keys = keysOf(records, kanbanId);
    return keys.length > 0 ? findManyDuplicates(db, accountId, kanbanId, keys) : new Map();
  }
  const keys = [...records.values()].flatMap((record) => keyOf(record, rule) ?? []);
  return keys.length > 0
    ? findManyByLookup(db, accountId, kanbanId, rule.fieldId, [...new Set(keys)])
    : new Map();
}

/** Null: it cannot be a duplicate. */
function keyOf(record: CrmRecord, rule: DuplicateRule): string | null {
  if (rule.by === 'titleAndChannel') {
    return record.channelId === null ? null : duplicateKeyText(record.channelId, record.title);
  }
  const value = (record.customFields as FieldValues)[rule.fieldId];
  return value === undefined || Array.isArray(value) ? null : lookupKey(rule.fieldId, String(value));
}

function keysOf(records: ReadonlyMap<string, CrmRecord>, kanbanId: string) {
  return [...records.values()].flatMap(({ channelId, title }) =>
    channelId === null ? [] : [{ kanbanId, channelId, title }],
  );
}
