/** A row of the file as what a create takes, with what is wrong in which cell. Both imports read their rows here. */

import type { RecordCreate } from '../../../../contract/crm/records.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Reason } from '../../../../contract/reasons.ts';
import { decodeCell, undoDefuse } from '../../../platform/csv/csv.ts';
import type { CsvRow, RawCell } from '../../../platform/csv/read-csv.ts';
import { AppError, badRequest } from '../../../platform/http/errors.ts';
import type { KanbanDefinition } from '../../kanbans/kanbans.ts';
import { type FieldValue, readList } from '../../records/records.ts';

export interface RowColumn {
  index: number;
  /** As the file has it. */
  name: string;
  /** One of a record's own columns or the id of a field; null: the column is not imported. */
  target: string | null;
}

export type OwnTarget = 'title' | 'status' | 'channelId' | ListTarget;
type ListTarget = 'assignedUserIds' | 'labelNames';

/** What the imports do differently. The readers answer undefined where nothing is set, and throw what is wrong. */
export interface RowReader<C extends RowColumn> {
  /** What a message calls a cell of the column. */
  nameOf(column: C): string;
  readOwn(kanban: KanbanDefinition, target: OwnTarget, text: string): string | string[] | undefined;
  readField(kanban: KanbanDefinition, fieldId: string, column: C, text: string): FieldValue | undefined;
}

export interface ReadCell {
  text: string;
  /** As it would be written; undefined: nothing would. */
  value: FieldValue | undefined;
  error: string | null;
  reason?: Reason;
}

export interface ReadRow {
  input: RecordCreate;
  cells: ReadCell[];
  /** What is wrong with the row as a whole. */
  error: string | null;
  reason?: Reason;
}

/** Cells that are missing at the end are empty. */
export function readRow<C extends RowColumn>(
  kanban: KanbanDefinition,
  columns: readonly C[],
  reader: RowReader<C>,
  { cells: raw, problem }: CsvRow,
): ReadRow {
  if (problem) return unreadable(columns, raw, problem);
  const customFields: { [fieldId: string]: FieldValue } = {};
  const input: RecordCreate = { title: '', customFields };
  const cells = columns.map((column): ReadCell => {
    const cell = readCell(kanban, column, reader, raw[column.index] ?? '');
    const { value } = cell;
    if (column.target === null || value === undefined || cell.error) return cell;
    if (column.target === 'assignedUserIds') input.assignedUserIds = value as string[];
    // Names until they are written, as users may be addresses.
    else if (column.target === 'labelNames') input.labelIds = value as string[];
    else if (isOwn(column.target)) input[column.target] = value as string;
    else customFields[column.target] = value;
    return cell;
  });
  return { input, cells, error: null };
}

/** Names are case-insensitive. `subject` begins the message where the result does not name the column. */
export function readLabelNames(text: string, subject = ''): string[] {
  const names = [...new Map(readList(text).map((name) => [name.toLowerCase(), name])).values()];
  const limit = limits.labelsPerItem;
  if (names.length > limit) {
    throw badRequest(`${subject}must have at most ${limit} items`, { kind: 'tooMany', limit });
  }
  return names;
}

/** Its text is shown in the first column; nothing of it is written. */
function unreadable(columns: readonly RowColumn[], raw: readonly RawCell[], problem: AppError): ReadRow {
  const cells = columns.map(({ index }) => ({
    text: shownText(raw[index] ?? ''),
    value: undefined,
    error: null,
  }));
  return { input: { title: '' }, cells, error: problem.message, ...reasonOf(problem) };
}

function shownText(raw: RawCell): string {
  return Buffer.from(raw, 'latin1').toString('utf8').replaceAll('\0', '');
}

const isList = (target: string): target is ListTarget =>
  target === 'assignedUserIds' || target === 'labelNames';
const isOwn = (target: string): target is Exclude<OwnTarget, ListTarget> =>
  target === 'title' || target === 'status' || target === 'channelId';

function readCell<C extends RowColumn>(
  kanban: KanbanDefinition,
  column: C,
  reader: RowReader<C>,
  raw: RawCell,
): ReadCell {
  const { target } = column;
  let text = '';
  try {
    text = undoDefuse(decodeCell(raw, reader.nameOf(column)));
    if (target === null || raw === '') return { text, value: undefined, error: null };
    const value =
      isOwn(target) || isList(target)
        ? reader.readOwn(kanban, target, text)
        : reader.readField(kanban, target, column, text);
    return { text, value, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { text, value: undefined, error: error.message, ...reasonOf(error) };
  }
}

export const reasonOf = ({ reason }: { reason?: Reason | undefined }) => (reason ? { reason } : {});
