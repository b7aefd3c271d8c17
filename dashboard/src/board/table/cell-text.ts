/**
 * Cells as text: what copying writes and pasting reads, by the rules of an import. Numbers, dates and words are read in
 * the reader's own form and in the usual others.
 */
import type { Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import type { CrmRecord, RecordUpdate } from '../../../../contract/crm/records.ts';
import { readNumber } from '../../fields/read-number.ts';
import { decimalSign, typedNumber } from '../../texts/format.ts';
import { locale, t } from '../../texts/texts.ts';
import type { TableColumn } from './table-look.ts';

export interface CellContext {
  board: Kanban;
  users: readonly { id: string; name: string; email: string }[];
}

export function valueOfCell(record: CrmRecord, { id, field }: TableColumn): unknown {
  return field ? record.customFields[id] : record[id as 'title'];
}

/** `value` null empties the cell. */
export function changeOfCell({ id, field }: TableColumn, value: unknown): RecordUpdate {
  if (field) return { customFields: { [id]: value } };
  if (id === 'assignedUserIds') return { assignedUserIds: (value as string[] | null) ?? [] };
  return { [id]: value } as RecordUpdate;
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const two = (value: number) => String(value).padStart(2, '0');
const localDay = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const localTime = (at: Date) => `${localDay(at)} ${two(at.getHours())}:${two(at.getMinutes())}`;
const listText = (items: readonly string[]) => items.join('; ');

export function textOfCell(record: CrmRecord, column: TableColumn, { board, users }: CellContext): string {
  const value = valueOfCell(record, column);
  if (isEmpty(value)) return '';
  if (column.id === 'status')
    return board.statuses.find((one) => one.value === value)?.label ?? String(value);
  if (column.id === 'assignedUserIds') {
    return listText((value as string[]).map((id) => users.find((user) => user.id === id)?.name ?? id));
  }
  if (column.id === 'createdAt' || column.id === 'updatedAt') return localTime(new Date(Number(value)));
  switch (column.field?.type) {
    case 'number':
    case 'currency':
      return typedNumber(Number(value));
    case 'datetime':
      return localTime(new Date(Number(value)));
    case 'boolean':
      return value ? t('fields.yes') : t('fields.no');
    case 'multiselect':
      return listText(value as string[]);
    default:
      return String(value);
  }
}

/** Undefined: the text cannot be read as a value of this column. */
export function readCell(text: string, column: TableColumn, { board, users }: CellContext): unknown {
  const trimmed = text.trim();
  if (column.id === 'title') return trimmed === '' ? undefined : trimmed;
  if (column.id === 'status') {
    const found = board.statuses.find(({ label, value }) => isSame(label, trimmed) || value === trimmed);
    return found?.value;
  }
  if (column.id === 'assignedUserIds') {
    return readList(
      trimmed,
      (item) => users.find(({ name, email }) => isSame(name, item) || isSame(email, item))?.id,
    );
  }
  if (trimmed === '') return null;
  return column.field ? readField(trimmed, text, column.field) : undefined;
}

function readField(trimmed: string, text: string, { type, options }: KanbanField): unknown {
  switch (type) {
    case 'number':
    case 'currency':
      return readAmount(trimmed);
    case 'boolean':
      return booleans.get(fold(trimmed));
    case 'date':
      return readDay(trimmed.split(/[T ]/)[0]!);
    case 'datetime':
      return readMoment(trimmed);
    case 'select':
      return optionOf(options, trimmed);
    case 'multiselect':
      return readList(trimmed, (item) => optionOf(options, item));
    case 'text':
    case 'textarea':
      return text;
    default:
      return trimmed;
  }
}

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
const isSame = (a: string, b: string) => fold(a) === fold(b);
const optionOf = (options: readonly string[] | null | undefined, text: string) =>
  options?.includes(text) ? text : options?.find((option) => isSame(option, text));

/** A name or an option may have a comma itself. Undefined: an item is not known. */
function readList(text: string, find: (item: string) => string | undefined): string[] | undefined {
  const whole = text === '' ? undefined : find(text);
  if (whole !== undefined) return [whole];
  const found: string[] = [];
  for (const item of splitList(text)) {
    const one = find(item);
    if (one === undefined) return undefined;
    found.push(one);
  }
  return [...new Set(found)];
}

/** As copying writes it, or with commas, as people do. */
function splitList(text: string): string[] {
  const items = text.split(text.includes(';') ? ';' : /[,|]/);
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

const words = (value: boolean, list: string) => list.split(' ').map((word) => [word, value] as const);
/** As an import reads them. */
const booleans = new Map([
  ...words(true, 'true yes y 1 sim s si verdadeiro verdadero x v'),
  ...words(false, 'false no n 0 nao falso f'),
]);

/** `R$ 1.234,56`, `(1,234.56)`, `-12.5`. */
function readAmount(text: string): number | undefined {
  const isNegative = /^\(.*\)$/.test(text);
  const bare = text
    .replace(/^\(|\)$/g, '')
    .replace(/[A-Z]{0,3}\p{Sc}|^[A-Z]{3}(?=\s?[-+\d])|[A-Z]{3}$|%$/gu, '');
  const value = readNumber(bare.trim(), decimalSign());
  return value !== undefined && isNegative ? -value : value;
}

/** Whether the reader writes the month first. */
const isMonthFirst = () =>
  new Intl.DateTimeFormat(locale()).formatToParts(0).findIndex(({ type }) => type === 'month') === 0;

function readDay(text: string): string | undefined {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text);
  const local = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})$/.exec(text);
  if (!iso && !local) return undefined;
  const [a, b, c] = (iso ?? local)!.slice(1).map(Number) as [number, number, number];
  const year = iso ? a : c < 30 ? 2000 + c : c < 100 ? 1900 + c : c;
  const [month, day] = iso ? [b, c] : isMonthFirst() ? [a, b] : [b, a];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.toISOString().slice(0, 10);
}

function readMoment(text: string): number | undefined {
  if (/^\d{9,}$/.test(text)) return Number(text);
  const [, date = '', rest = '0:00'] = /^(\S+?)(?:[T ]+(.*))?$/s.exec(text) ?? [];
  const day = readDay(date);
  if (!day) return undefined;
  const withOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(rest) ? Date.parse(`${day}T${rest}`) : Number.NaN;
  if (!Number.isNaN(withOffset)) return withOffset;
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])?\.?\s?(?:m\.?)?$/i.exec(rest);
  if (!clock) return undefined;
  const half = clock[4]?.toLowerCase();
  const hours = half ? (Number(clock[1]) % 12) + (half === 'p' ? 12 : 0) : Number(clock[1]);
  const at = new Date(`${day}T${two(hours)}:${clock[2]}:${clock[3] ?? '00'}`).getTime();
  return Number.isNaN(at) ? undefined : at;
}
