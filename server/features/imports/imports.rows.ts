/** Converts a row of the file to the input of a create, with the errors of each cell. */
import type { ImportColumn, ImportDuplicates, ImportNumberForm } from '../../../contract/imports.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reason } from '../../../contract/reasons.ts';
import type { RecordCreate } from '../../../contract/records.ts';
import { decodeCell, undoDefuse } from '../../platform/csv/csv.ts';
import type { CsvRow, RawCell } from '../../platform/csv/read-csv.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import type { FieldDefinition, KanbanDefinition } from '../kanbans/kanbans.ts';
import { checkFieldValues, type DuplicateRule, type FieldValue, readList } from '../records/records.ts';
import { fold } from './imports.synonyms.ts';
import { readDate, readDateTime } from './imports.times.ts';

export interface ReadCell {
  text: string;
  /** The value to be written; undefined: none. */
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

/** Missing cells at the end are empty, and extra empty ones are ignored. */
export function readRow(
  kanban: KanbanDefinition,
  columns: readonly ImportColumn[],
  timeZone: string,
  { cells: raw, problem }: CsvRow,
): ReadRow {
  if (problem) return unreadable(columns, raw, problem);
  const customFields: { [fieldId: string]: FieldValue } = {};
  const input: RecordCreate = { title: '', customFields };
  const cells = columns.map((column): ReadCell => {
    const cell = readCell(kanban, column, timeZone, raw[column.index] ?? '');
    const { value } = cell;
    if (column.target === null || value === undefined || cell.error) return cell;
    if (column.target === 'assignedUserIds') input.assignedUserIds = value as string[];
    else if (isOwn(column.target)) input[column.target] = value as string;
    else customFields[column.target] = value;
    return cell;
  });
  const tooMany = raw.slice(columns.length).some((cell) => cell.trim() !== '');
  if (!tooMany) return { input, cells, error: null };
  const [count, limit] = [raw.length, columns.length];
  const error = `the row has ${count} cells, but there are ${limit} columns`;
  return { input, cells, error, reason: { kind: 'tooManyCells', count, limit } };
}

/** Its text is shown in the first column; nothing of it is written. */
function unreadable(columns: readonly ImportColumn[], raw: readonly RawCell[], problem: AppError): ReadRow {
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

const isOwn = (target: string): target is 'title' | 'status' | 'channelId' =>
  target === 'title' || target === 'status' || target === 'channelId';

/** All errors of a row, as in its line of the results; null: none. */
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

function readCell(kanban: KanbanDefinition, column: ImportColumn, timeZone: string, raw: RawCell): ReadCell {
  let text = '';
  try {
    text = undoDefuse(decodeCell(raw, 'the cell'));
    if (column.target === null || raw === '') return { text, value: undefined, error: null };
    return { text, value: readValue(kanban, column, timeZone, text), error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { text, value: undefined, error: error.message, ...reasonOf(error) };
  }
}

export const reasonOf = ({ reason }: { reason?: Reason | undefined }) => (reason ? { reason } : {});

/** Undefined: nothing is set. Throws what is wrong with it. */
function readValue(
  kanban: KanbanDefinition,
  column: ImportColumn,
  timeZone: string,
  text: string,
): FieldValue | undefined {
  const target = column.target!;
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
  if (target === 'assignedUserIds') {
    const names = readList(text);
    if (names.length > limits.assignedUsers)
      throw badRequest(`must have at most ${limits.assignedUsers} items`, {
        kind: 'tooMany',
        limit: limits.assignedUsers,
      });
    return names.length === 0 ? undefined : names;
  }
  const field = kanban.fields.get(target);
  if (!field) throw badRequest('the field no longer exists', { kind: 'fieldGone' });
  return checkFieldValue(kanban, field, readFieldValue(field, column, timeZone, text));
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
    // The column identifies the field.
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

const words = (value: boolean, list: string) => list.split(' ').map((word) => [word, value] as const);
const booleans = new Map([
  ...words(true, 'true yes y 1 sim s si verdadeiro verdadero x v'),
  ...words(false, 'false no n 0 nao falso f'),
]);

function readFieldValue(
  field: FieldDefinition,
  { dateForm, numberForm }: ImportColumn,
  timeZone: string,
  text: string,
): FieldValue | undefined {
  const trimmed = text.trim();
  if (trimmed === '' && field.type !== 'text' && field.type !== 'textarea') return undefined;
  switch (field.type) {
    case 'text':
    case 'textarea':
      return text;
    case 'number':
    case 'currency':
      return readNumber(trimmed, numberForm) ?? text;
    case 'boolean':
      return booleans.get(fold(trimmed)) ?? text;
    case 'date':
      return readDate(trimmed, dateForm);
    case 'datetime':
      return readDateTime(trimmed, dateForm, timeZone);
    case 'select':
      return optionOf(field, trimmed);
    case 'multiselect':
      return [...new Set(listOf(trimmed).map((item) => optionOf(field, item)))];
    default:
      return trimmed;
  }
}

/** As an export writes it, or with commas, as people do. */
function listOf(text: string): string[] {
  const items = readList(text);
  return items.length === 1 && !text.includes('"')
    ? items[0]!.split(/[,|]/).map((item) => item.trim())
    : items;
}

function optionOf({ options }: FieldDefinition, text: string): string {
  if (!options || options.includes(text)) return text;
  return options.find((option) => fold(option) === fold(text)) ?? text;
}

const plain = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
/** A sign before or after the currency (R$, US$, €, BRL), or brackets, as in accounting. */
const amount =
  /^([+\-(])?(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})?([+-])?([\d.,]+(?:e[+-]?\d+)?)(?:\p{Sc}|[A-Z]{3}|%)?\)?$/iu;

/** `R$ 1.234,56`, `(1,234.56)`, `-12.5`; null: not a number. */
export function readNumber(text: string, form: ImportNumberForm): number | null {
  const bare = text.replace(/[\s\u00a0\u202f'’]/g, '');
  const parts = amount.exec(bare);
  if (!parts) return null;
  const isNegative = parts[1] === '(' || parts[1] === '-' || parts[2] === '-';
  let digits = parts[3]!;
  if (form === 'comma') digits = digits.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'));
  if (grouped.test(digits)) digits = digits.replaceAll(',', '');
  if (!plain.test(digits)) return null;
  return isNegative ? -Number(digits) : Number(digits);
}
