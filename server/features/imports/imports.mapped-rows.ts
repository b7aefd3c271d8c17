/** Rows by the columns that a person has chosen, written as people write. Each cell is checked, so that a preview names it. */
import type { ImportColumn, ImportDuplicates } from '../../../contract/crm/imports.ts';
import { limits } from '../../../contract/limits.ts';
import type { CsvRow } from '../../platform/csv/read-csv.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import type { FieldDefinition, KanbanDefinition } from '../kanbans/kanbans.ts';
import { checkFieldValues, type FieldValue, readList } from '../records/records.ts';
import { fold } from './imports.synonyms.ts';
import {
  type OwnTarget,
  type ReadRow,
  type RowReader,
  readLabelNames,
  readRow,
} from './rows/imports.rows.ts';
import { looseSpelling, readFieldValue } from './rows/imports.values.ts';
import type { DuplicateRule } from './rows/imports.write.ts';

export function createRowReader(
  kanban: KanbanDefinition,
  columns: readonly ImportColumn[],
  timeZone: string,
): (row: CsvRow) => ReadRow {
  const spellings = new Map(columns.map((column) => [column, looseSpelling(column, timeZone)]));
  const reader: RowReader<ImportColumn> = {
    nameOf: () => 'the cell',
    readOwn,
    readField(_kanban, fieldId, column, text) {
      const field = kanban.fields.get(fieldId);
      if (!field) throw badRequest('the field no longer exists', { kind: 'fieldGone' });
      return checkFieldValue(kanban, field, readFieldValue(field, spellings.get(column)!, text));
    },
  };
  return (row) => {
    const read = readRow(kanban, columns, reader, row);
    // Empty cells too many are none.
    if (row.problem || !row.cells.slice(columns.length).some((cell) => cell.trim() !== '')) return read;
    const [count, limit] = [row.cells.length, columns.length];
    const error = `the row has ${count} cells, but there are ${limit} columns`;
    return { ...read, error, reason: { kind: 'tooManyCells', count, limit } };
  };
}

/** All that is wrong with a row, as its line in the results says it; null: nothing. */
export function problemOf(columns: readonly ImportColumn[], row: ReadRow): string | null {
  const problems = row.cells.flatMap((cell, index) =>
    cell.error ? [`${columns[index]!.name.slice(0, 100)}: ${cell.error}`] : [],
  );
  if (row.error) problems.unshift(row.error);
  return problems.length > 0 ? problems.join('; ').slice(0, 1_000).toWellFormed() : null;
}

export function ruleOf({ by, fieldId }: ImportDuplicates): DuplicateRule {
  return by === 'field' ? { by, fieldId: fieldId! } : { by: 'titleAndChannel' };
}

function readOwn(kanban: KanbanDefinition, target: OwnTarget, text: string): string | string[] | undefined {
  const trimmed = text.trim();
  if (target === 'title') {
    if ([...trimmed].length > limits.titleLength) throw tooLong(limits.titleLength);
    return trimmed === '' ? undefined : trimmed;
  }
  if (target === 'channelId') {
    if (text.length > limits.channelIdLength) throw tooLong(limits.channelIdLength);
    return text === '' ? undefined : text;
  }
  if (target === 'status') return trimmed === '' ? undefined : readStatus(kanban, trimmed);
  const names = target === 'labelNames' ? readLabelNames(text) : readList(text);
  if (names.length > limits.assignedUsers)
    throw badRequest(`must have at most ${limits.assignedUsers} items`, {
      kind: 'tooMany',
      limit: limits.assignedUsers,
    });
  return names.length === 0 ? undefined : names;
}

function checkFieldValue(
  kanban: KanbanDefinition,
  field: FieldDefinition,
  value: FieldValue | undefined,
): FieldValue | undefined {
  if (value === undefined) return undefined;
  try {
    return checkFieldValues(kanban, { [field.id]: value }).get(field.id)!;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The column says which field it is.
    throw badRequest(error.message.replace(`customFields.${field.id} (${field.name}) `, ''), error.reason);
  }
}

const tooLong = (limit: number) =>
  badRequest(`must have at most ${limit} characters`, { kind: 'tooLong', limit });

/** By value or by label: people write what they see. */
function readStatus({ statuses }: KanbanDefinition, text: string): string {
  const found =
    statuses.find(({ value }) => value === text) ??
    statuses.find(({ value, label }) => fold(value) === fold(text) || fold(label) === fold(text));
  if (!found) {
    const options = statuses.map(({ label }) => label);
    throw badRequest(`must be one of ${options.join(', ')}`.slice(0, 500), { kind: 'option', options });
  }
  return found.value;
}
