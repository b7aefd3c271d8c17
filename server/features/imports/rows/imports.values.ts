/** The text of a cell as a value of its field. A text that cannot be read stays a text, which the rule of the field rejects. */
import type { ImportColumn, ImportNumberForm } from '../../../../contract/crm/imports.ts';
import type { FieldDefinition } from '../../kanbans/kanbans.ts';
import { type FieldValue, readList } from '../../records/records.ts';
import { fold } from '../imports.synonyms.ts';
import { readDate, readDateTime } from './imports.times.ts';

/** How the values of a column are written. Undefined: nothing is set. */
export interface Spelling {
  /** Null: not a number. */
  number(trimmed: string): number | null;
  boolean(trimmed: string): boolean | undefined;
  date(trimmed: string): string;
  dateTime(trimmed: string): number | string;
  list(field: FieldDefinition, text: string): string[] | undefined;
  /** Options, addresses, phone numbers. */
  word(field: FieldDefinition, text: string): string | undefined;
}

export function readFieldValue(
  field: FieldDefinition,
  spelling: Spelling,
  text: string,
): FieldValue | undefined {
  const trimmed = text.trim();
  switch (field.type) {
    case 'text':
    case 'textarea':
      return text;
    case 'multiselect':
      return spelling.list(field, text);
    case 'number':
    case 'currency':
      return trimmed === '' ? undefined : (spelling.number(trimmed) ?? text);
    case 'boolean':
      return trimmed === '' ? undefined : (spelling.boolean(trimmed) ?? text);
    case 'date':
      return trimmed === '' ? undefined : spelling.date(trimmed);
    case 'datetime':
      return trimmed === '' ? undefined : spelling.dateTime(trimmed);
    default:
      return spelling.word(field, text);
  }
}

const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const words = (value: boolean, list: string) => list.split(' ').map((word) => [word, value] as const);
const exactBooleans = new Map([...words(true, 'true yes 1'), ...words(false, 'false no 0')]);
const booleans = new Map([
  ...words(true, 'true yes y 1 sim s si verdadeiro verdadero x v'),
  ...words(false, 'false no n 0 nao falso f'),
]);

/** As an export writes values, and as a program that knows the fields does. */
export const exactSpelling: Spelling = {
  number: (trimmed) => (numberForm.test(trimmed) ? Number(trimmed) : null),
  boolean: (trimmed) => exactBooleans.get(trimmed.toLowerCase()),
  date: (trimmed) => trimmed,
  dateTime: (trimmed) => (/^-?\d+$/.test(trimmed) ? Number(trimmed) : trimmed),
  // An export writes an empty list as an empty text; white space alone is not set.
  list: (_field, text) => (text.trim() === '' && text !== '' ? undefined : readList(text)),
  word: (_field, text) => (text === '' ? undefined : text),
};

/** As people and their spreadsheets write them, in the forms that were chosen for the column. */
export function looseSpelling({ dateForm, numberForm: form }: ImportColumn, timeZone: string): Spelling {
  return {
    number: (trimmed) => readNumber(trimmed, form),
    boolean: (trimmed) => booleans.get(fold(trimmed)),
    date: (trimmed) => readDate(trimmed, dateForm),
    dateTime: (trimmed) => readDateTime(trimmed, dateForm, timeZone),
    list: (field, text) =>
      text.trim() === '' ? undefined : [...new Set(listOf(text.trim()).map((item) => optionOf(field, item)))],
    word: (field, text) => {
      const trimmed = text.trim();
      if (trimmed === '') return undefined;
      return field.type === 'select' ? optionOf(field, trimmed) : trimmed;
    },
  };
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
/** A sign before or behind the currency (R$, US$, €, BRL), or brackets, as accountants have it. */
const amount =
  /^([+\-(])?(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})?([+-])?([\d.,]+(?:e[+-]?\d+)?)(?:\p{Sc}|[A-Z]{3}|%)?\)?$/iu;

/** `R$ 1.234,56`, `(1,234.56)`, `-12.5`; null: no number. */
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
