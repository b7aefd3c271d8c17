// What a filter should find and in which order, by the rules of docs/filters.md alone. It shares no code with the
// product and compares values as they are in the API's records.

import { oracleFold } from './search-oracle.ts';

// biome-ignore lint/suspicious/noExplicitAny: records and filters as JSON
type Json = any;
export type OracleFields = { [fieldId: string]: { type: string; options?: string[] } };
export type OracleContext = { fields: OracleFields; statuses: string[]; me: string; now: number };

const dayMs = 86_400_000;
const ownTypes: { [name: string]: string } = {
  title: 'text',
  status: 'select',
  assignedUserIds: 'multiselect',
  createdAt: 'datetime',
  updatedAt: 'datetime',
};
const numbers = ['number', 'currency'];
const texts = ['text', 'textarea', 'email', 'phone', 'url'];

const typeOf = (field: string, { fields }: OracleContext) => ownTypes[field] ?? fields[field]!.type;
const fieldValue = (record: Json, field: string) =>
  ownTypes[field] ? record[field] : record.customFields[field];
const isEmpty = (value: Json) => value === undefined || value === '' || value?.length === 0;

export function oracleMatches(record: Json, node: Json, context: OracleContext, zone?: string): boolean {
  const timeZone = zone ?? node.timeZone ?? 'UTC';
  if (node.and) return node.and.every((part: Json) => oracleMatches(record, part, context, timeZone));
  if (node.or) return node.or.some((part: Json) => oracleMatches(record, part, context, timeZone));
  const value = fieldValue(record, node.field);
  if (node.op === 'empty') return isEmpty(value);
  if (node.op === 'notEmpty') return !isEmpty(value);
  const opposite: { [op: string]: string } = { isNot: 'is', notContains: 'contains', noneOf: 'anyOf' };
  if (opposite[node.op]) {
    return !oracleMatches(record, { ...node, op: opposite[node.op] }, context, timeZone);
  }
  if (isEmpty(value)) return false;
  const type = typeOf(node.field, context);
  if (texts.includes(type)) return [value].flat().some((text: string) => matchesText(oracleFold(text), node));
  if (numbers.includes(type)) return matchesNumber(value, node);
  if (type === 'boolean') return value === node.value;
  if (type === 'date') return matchesDay(value, node, localDay(context.now, timeZone));
  if (type === 'datetime') return matchesTime(value, node, timeZone, context.now);
  const has = (wanted: string) => [value].flat().includes(wanted === 'me' ? context.me : wanted);
  return node.op === 'allOf' ? node.value.every(has) : [node.value].flat().some(has);
}

function matchesText(text: string, { op, value }: Json): boolean {
  const wanted: string[] = [value].flat().map(oracleFold);
  if (op === 'contains') return text.includes(wanted[0]!);
  if (op === 'startsWith') return text.startsWith(wanted[0]!);
  return wanted.includes(text);
}

function matchesNumber(own: number, { op, value }: Json): boolean {
  switch (op) {
    case 'gt':
      return own > value;
    case 'gte':
      return own >= value;
    case 'lt':
      return own < value;
    case 'lte':
      return own <= value;
    case 'between':
      return own >= value[0] && own <= value[1];
    default:
      return [value].flat().includes(own);
  }
}

/** As YYYY-MM-DD, which sorts as days do. */
function localDay(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(time);
}

function shifted(day: string, amount: number, unit: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (unit !== 'months') {
    return new Date(date.getTime() + amount * (unit === 'weeks' ? 7 : 1) * dayMs).toISOString().slice(0, 10);
  }
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount;
  const last = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();
  return new Date(Date.UTC(Math.floor(month / 12), month % 12, Math.min(date.getUTCDate(), last)))
    .toISOString()
    .slice(0, 10);
}

function matchesDay(day: string, { op, value, unit = 'days' }: Json, today: string): boolean {
  if (op === 'inLast') return day >= shifted(today, -value, unit) && day <= today;
  if (op === 'inNext') return day <= shifted(today, value, unit) && day >= today;
  return compare(op, value, (wanted) => (day < wanted ? -1 : day > wanted ? 1 : 0));
}

function matchesTime(
  time: number,
  { op, value, unit = 'days' }: Json,
  timeZone: string,
  now: number,
): boolean {
  if (op === 'inLast' || op === 'inNext') {
    const sign = op === 'inLast' ? -1 : 1;
    const length: { [unit: string]: number } = {
      minutes: 60_000,
      hours: 3_600_000,
      days: dayMs,
      weeks: 7 * dayMs,
    };
    const day = new Date(now).toISOString().slice(0, 10);
    const other =
      unit === 'months'
        ? Date.parse(`${shifted(day, sign * value, unit)}${new Date(now).toISOString().slice(10)}`)
        : now + sign * value * length[unit]!;
    return time >= Math.min(now, other) && time <= Math.max(now, other);
  }
  return compare(op, value, (wanted) => {
    if (/^\d{4}-\d\d-\d\d$/.test(wanted)) {
      const day = localDay(time, timeZone);
      return day < wanted ? -1 : day > wanted ? 1 : 0;
    }
    return Math.sign(time - (typeof wanted === 'number' ? wanted : Date.parse(wanted)));
  });
}

/** `place` is negative if the record's value is before the wanted one. */
function compare(op: string, value: Json, place: (wanted: Json) => number): boolean {
  switch (op) {
    case 'before':
      return place(value) < 0;
    case 'onOrBefore':
      return place(value) <= 0;
    case 'after':
      return place(value) > 0;
    case 'onOrAfter':
      return place(value) >= 0;
    case 'between':
      return place(value[0]) >= 0 && place(value[1]) <= 0;
    default:
      return place(value) === 0;
  }
}

/** Empty values last, equal ones by descending id. */
export function oracleSort(records: Json[], sort: string, context: OracleContext): Json[] {
  const isDescending = sort.startsWith('-');
  const field = isDescending ? sort.slice(1) : sort;
  const type = typeOf(field, context);
  const order = field === 'status' ? context.statuses : (context.fields[field]?.options ?? []);
  const keyOf = (record: Json): string | number | null => {
    const value = fieldValue(record, field);
    if (isEmpty(value)) return null;
    if (type === 'select' || type === 'multiselect') {
      return Math.min(...[value].flat().map((one: string) => order.indexOf(one)));
    }
    return texts.includes(type)
      ? Buffer.from(oracleFold(value)).subarray(0, 64).toString('hex')
      : Number(Number.isNaN(Number(value)) ? Date.parse(value) : value);
  };
  return [...records].sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    if (left !== right) {
      if (left === null || right === null) return left === null ? 1 : -1;
      return (left < right ? -1 : 1) * (isDescending ? -1 : 1);
    }
    return a.recordId < b.recordId ? 1 : -1;
  });
}
