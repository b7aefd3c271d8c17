/** Converts rows to the content of the index: the title and the values of searched fields. */
import { comparisonOf } from '../../../../contract/crm/filters.ts';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import { type FieldType, searchableFieldTypes } from '../../../../contract/limits.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { ColumnValue, ColumnValues } from '../../../search-engine/columns/tables.ts';
import type { SearchDocument, SearchText } from '../../../search-engine/store/index.ts';
import type { Definitions, DefinitionsCache, KanbanDefinition } from '../../kanbans/kanbans.ts';
import type { FieldValue } from '../../records/records.ts';
import { dayNumber } from '../filters/search.filter-times.ts';
import {
  type Change,
  type SourceRow,
  selectAll,
  selectChanges,
  selectFields,
  selectMoreChanges,
  selectMoreRemoved,
  selectPosition,
} from './search.source.sql.ts';
import { type Batch, type Columns, HistoryLost, type SearchSource } from './search.source.ts';

/** A text with its field; null: the title. */
export interface PlacedText extends SearchText {
  fieldId: string | null;
}

/** Of files with indexes. Raise it when rows become other documents: the test of this file says when. */
export const DOCUMENTS_VERSION = 2;

const rowsAtATime = 2_000;

export function createSource(db: Db, definitions: DefinitionsCache): SearchSource {
  const definitionsAt = async (accountId: string, version: number): Promise<Definitions> => {
    const known = await definitions.known(accountId);
    return known.version === version ? known : definitions.fresh(accountId);
  };

  async function* readAll(
    accountId: string,
    kanbanIds: string[] | null,
    current: Definitions,
    texts: ReadonlySet<string>,
  ): AsyncIterable<Batch> {
    const pages = inPages((after) => selectAll(db, accountId, kanbanIds, after, rowsAtATime));
    for await (const rows of pages) yield batchOf(rows, current, texts);
  }

  async function* readChanges(
    accountId: string,
    since: string,
    texts: ReadonlySet<string>,
  ): AsyncIterable<Batch> {
    const changes = await selectChanges(db, accountId, since, rowsAtATime);
    if (!changes || endOf(changes.position) < endOf(since)) throw new HistoryLost();
    const current = await definitionsAt(accountId, changes.definitionsVersion);
    const { position, readAt, emptiedKanbanIds } = changes;
    yield { emptiedKanbanIds, removedIds: idsOf(changes.removed), documents: [] };
    for (let last = changes.removed; last.length === rowsAtATime; ) {
      last = await selectMoreRemoved(db, accountId, since, last[last.length - 1]!, rowsAtATime);
      yield { emptiedKanbanIds: [], removedIds: idsOf(last), documents: [] };
    }
    yield batchOf(changes.changed, current, texts);
    for (let last = changes.changed; last.length === rowsAtATime; ) {
      last = await selectMoreChanges(db, accountId, since, last[last.length - 1]!, rowsAtATime);
      yield batchOf(last, current, texts);
    }
    if (emptiedKanbanIds.length > 0) yield* readAll(accountId, emptiedKanbanIds, current, texts);
    yield { ...batchOf([], current, texts), end: { position, readAt } };
  }

  return {
    async *read(accountId, since, texts) {
      if (since !== null) {
        yield* readChanges(accountId, since, texts);
        return;
      }
      // The position first: changes during the full read are read again next time.
      const begun = await selectPosition(db, accountId);
      if (!begun) return;
      const current = await definitionsAt(accountId, begun.definitionsVersion);
      yield* readAll(accountId, null, current, texts);
      yield { ...batchOf([], current, texts), end: { position: begun.position, readAt: begun.readAt } };
    },

    async *readTextColumns(accountId, names) {
      const { kanbans } = await definitions.fresh(accountId);
      const wanted = new Set(names);
      const boards = [...kanbans.values()].filter(
        ({ fields }) => wanted.has('title') || names.some((name) => fields.has(name)),
      );
      const boardIds = boards.map(({ id }) => id);
      const pages = inPages((after) => selectFields(db, accountId, names, boardIds, after, rowsAtATime));
      for await (const rows of pages) yield rows.map((row) => textColumnsOf(row, wanted));
    },
  };
}

/** The database reads ahead while a page is put into the index. */
async function* inPages<Row extends { id: string }>(
  select: (after: string | null) => Promise<Row[]>,
): AsyncIterable<Row[]> {
  const begin = (after: string | null) => {
    const selecting = select(after);
    // The reader may stop before it awaits this.
    selecting.catch(() => undefined);
    return selecting;
  };
  let selecting = begin(null);
  for (;;) {
    const rows: Row[] = await selecting;
    const isLast = rows.length < rowsAtATime;
    if (!isLast) selecting = begin(rows[rows.length - 1]!.id);
    yield rows;
    if (isLast) return;
  }
}

const idsOf = (changes: readonly Change[]) => changes.map(({ id }) => id);

/** The transactions from this one on are not in the snapshot: xmin:xmax:xip_list. */
const endOf = (position: string) => Number(position.split(':')[1]);

function batchOf(rows: readonly SourceRow[], current: Definitions, texts: ReadonlySet<string>): Batch {
  const documents = rows.map((row) => toDocument(row, current.kanbans.get(row.kanbanId), texts));
  return { emptiedKanbanIds: [], removedIds: [], documents };
}

function toDocument(
  row: SourceRow,
  kanban: KanbanDefinition | undefined,
  texts: ReadonlySet<string>,
): SearchDocument {
  const { id, kanbanId, status, createdAt, updatedAt, placeAt, placeId } = row;
  return {
    id,
    kanbanId,
    status,
    createdAt,
    updatedAt,
    place: placeAt === null || placeId === null ? null : { at: placeAt, id: placeId },
    texts: textsOf(row, kanban),
    columns: columnsOf(row, kanban, texts),
  };
}

/**
 * Columns with texts are the larger part of an index, and few are used in conditions: one is in memory from the first
 * question that needs it.
 */
export const isTextColumn = (name: string, type: FieldType | undefined): boolean =>
  comparisonOf(name, type) === 'text';

/** All that conditions compare of one record, as the columns of an index have it. */
export function recordValues(record: CrmRecord, kanban: KanbanDefinition | undefined): ColumnValues {
  const { status, createdAt, updatedAt } = record;
  const columns = columnsOf(record, kanban, { has: () => true });
  return { ...columns, status: [status], createdAt, updatedAt };
}

/** What filters compare: dates by their day, booleans as 0 and 1, selects as sets of one. */
function columnsOf(
  row: Pick<SourceRow, 'title' | 'assignedUserIds' | 'labelIds' | 'customFields'>,
  kanban: KanbanDefinition | undefined,
  texts: Pick<ReadonlySet<string>, 'has'>,
): { [name: string]: ColumnValue } {
  const columns: { [name: string]: ColumnValue } = {};
  if (texts.has('title')) columns.title = row.title;
  if (row.assignedUserIds.length > 0) columns.assignedUserIds = row.assignedUserIds;
  if (row.labelIds.length > 0) columns.labelIds = row.labelIds;
  for (const field of kanban?.fields.values() ?? []) {
    const value = row.customFields[field.id];
    if (value === undefined || (isTextColumn(field.id, field.type) && !texts.has(field.id))) continue;
    columns[field.id] = columnValue(field.type, value as FieldValue);
  }
  return columns;
}

function textColumnsOf(
  row: Pick<SourceRow, 'id' | 'kanbanId' | 'title' | 'customFields'>,
  wanted: ReadonlySet<string>,
): Columns {
  const columns: { [name: string]: ColumnValue } = {};
  if (wanted.has('title')) columns.title = row.title;
  for (const [name, value] of Object.entries(row.customFields)) {
    if (typeof value === 'string') columns[name] = value;
  }
  return { id: row.id, kanbanId: row.kanbanId, columns };
}

function columnValue(type: FieldType, value: FieldValue): ColumnValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return value;
  if (type === 'date') return dayNumber(value);
  return type === 'select' ? [value] : value;
}

/** In the order of the board's fields, the title first. */
export function textsOf(
  record: { title: string; customFields: { [fieldId: string]: unknown } },
  kanban: KanbanDefinition | undefined,
): PlacedText[] {
  const texts: PlacedText[] = [{ text: record.title, isPhone: false, fieldId: null }];
  for (const field of kanban?.fields.values() ?? []) {
    const value = record.customFields[field.id];
    if (value === undefined || !searchableFieldTypes.includes(field.type)) continue;
    const isPhone = field.type === 'phone';
    for (const text of Array.isArray(value) ? value : [value]) {
      texts.push({ text: String(text), isPhone, fieldId: field.id });
    }
  }
  return texts;
}
