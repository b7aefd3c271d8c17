/** Values of custom fields: what each type accepts, how it is stored, and when two values are equal. */
import { type FieldType, limits } from '../../../contract/limits.ts';
import type { Reason } from '../../../contract/reasons.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { FieldDefinition, KanbanDefinition } from '../kanbans/kanbans.ts';

export type FieldValue = string | number | boolean | string[];
export type FieldValues = Record<string, FieldValue>;

/** The caller's value, checked: null clears. Throws a 400 with the field's id and name. */
export function checkFieldValues(
  kanban: KanbanDefinition,
  supplied: Record<string, unknown>,
): Map<string, FieldValue | null> {
  const values = new Map<string, FieldValue | null>();
  for (const [fieldId, value] of Object.entries(supplied)) {
    const field = kanban.fields.get(fieldId);
    if (!field) throw badRequest(`customFields.${fieldId.slice(0, 100)} is not a field of this kanban`);
    values.set(fieldId, value === null ? null : checkValue(field, value));
  }
  return values;
}

/** Whether a field can store the value: a bound field that cannot stays empty. */
export function fitsField(field: FieldDefinition, value: unknown): boolean {
  try {
    checkValue(field, value);
    return true;
  } catch {
    return false;
  }
}

function checkValue(field: FieldDefinition, value: unknown): FieldValue {
  const refuse = (expected: string, reason: Reason) =>
    badRequest(`customFields.${field.id} (${field.name}) must be ${expected}`, reason);
  const options = field.options ?? [];
  switch (field.type) {
    case 'text':
    case 'textarea':
      if (typeof value !== 'string') throw refuse('a string', { kind: 'text' });
      if (value.length > limits.textValueLength)
        throw refuse(`at most ${limits.textValueLength} characters long`, {
          kind: 'tooLong',
          limit: limits.textValueLength,
        });
      return value;
    case 'select':
      if (typeof value !== 'string' || !options.includes(value))
        throw refuse(`one of ${options.join(', ')}`, { kind: 'option', options });
      return value;
    case 'multiselect':
      if (!isStringArray(value) || !value.every((item) => options.includes(item))) {
        throw refuse(`an array out of ${options.join(', ')}`, { kind: 'option', options });
      }
      if (new Set(value).size < value.length)
        throw refuse('an array of distinct strings', { kind: 'option', options });
      return value;
    case 'number':
    case 'currency':
      if (typeof value !== 'number' || !Number.isFinite(value))
        throw refuse('a finite number', { kind: 'number' });
      return value;
    case 'boolean':
      if (typeof value !== 'boolean') throw refuse('true or false', { kind: 'boolean' });
      return value;
    case 'date':
      if (typeof value !== 'string' || !isDate(value))
        throw refuse('a date of the form YYYY-MM-DD', { kind: 'date' });
      return value;
    case 'datetime': {
      const time = readTime(value);
      if (time === null)
        throw refuse('a number of milliseconds or an ISO 8601 time with its offset', { kind: 'time' });
      return time;
    }
    case 'email':
      if (!isText(value) || !emailForm.test(value)) throw refuse('an e-mail address', { kind: 'email' });
      return value;
    case 'phone':
      if (!isText(value) || !isPhone(value)) throw refuse('a phone number', { kind: 'phone' });
      return value;
    case 'url':
      if (!isText(value) || !isWebAddress(value)) throw refuse('an http or https address', { kind: 'url' });
      return value;
  }
}

const emailForm = /^[^\s@<>()[\]\\,;:"]+@[^\s@.<>()[\]\\,;:"]+(?:\.[^\s@.<>()[\]\\,;:"]+)+$/u;
/** As people write them: "(+55) 11 99999-8888", "030/1234567". */
const phoneForm = /^[ \u00a0(]*\+?[\d \u00a0()./-]+$/;
const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;
const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;
const latestTime = 8.64e15;
const longestAddress = 2_048;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestAddress;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isPhone(value: string): boolean {
  const digits = value.replace(/\D/g, '').length;
  return phoneForm.test(value) && digits >= 5 && digits <= 20;
}

function isWebAddress(value: string): boolean {
  if (/\s/.test(value) || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  return new URL(value).hostname !== '';
}

/** A real calendar day: the 30th of February rolls over and is detected. */
export function isDate(value: string): boolean {
  const parts = dateForm.exec(value);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

export function readTime(value: unknown): number | null {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) <= latestTime ? value : null;
  if (typeof value !== 'string' || !timeForm.test(value) || !isDate(value.slice(0, 10))) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

/** The order of a multiselect's values is irrelevant. */
export function sameValue(type: FieldType, a: FieldValue | null, b: FieldValue | null): boolean {
  if (type === 'multiselect' && Array.isArray(a) && Array.isArray(b)) return sameSet(a, b);
  return a === b;
}

export function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
