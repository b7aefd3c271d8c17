/**
 * Dates and times of conditions as ranges. A date is its number of days since 1970; a time is its milliseconds. A day
 * given for a time is the whole day in the filter's time zone.
 */
import { type FilterUnit, filterLimits, filterUnits } from '../../../../contract/crm/filters.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { momentOf, type TimeZone } from '../../../platform/time-zone.ts';
import type { NumberRange } from '../../../search-engine/columns/conditions.ts';
import { isDate, readTime } from '../../records/records.ts';
import { type Given, listOf } from './search.filter-values.ts';

const dayMs = 86_400_000;
const unitMs: { [unit in FilterUnit]: number } = {
  minutes: 60_000,
  hours: 3_600_000,
  days: dayMs,
  weeks: 7 * dayMs,
  months: 0,
};

export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs;

/** Both ends belong to it: days and milliseconds are whole numbers. */
interface Span {
  from: number;
  to: number;
}

export function readDates(given: Given, now: number, zone: TimeZone): NumberRange[] {
  if (given.op === 'inLast' || given.op === 'inNext') {
    const { amount, unit } = readAmount(given, ['days', 'weeks', 'months']);
    const today = Math.floor((now + zone.offsetAt(now)) / dayMs);
    const other = Math.floor(moved(today * dayMs, given.op === 'inLast' ? -amount : amount, unit) / dayMs);
    return [{ from: Math.min(today, other), to: Math.max(today, other) }];
  }
  return spansToRanges(given, (value, path) => {
    if (typeof value !== 'string' || !isDate(value)) {
      throw badRequest(`${path} must be a date of the form YYYY-MM-DD`);
    }
    const day = dayNumber(value);
    return { from: day, to: day };
  });
}

export function readTimes(given: Given, now: number, zone: TimeZone): NumberRange[] {
  if (given.op === 'inLast' || given.op === 'inNext') {
    const { amount, unit } = readAmount(given, filterUnits);
    const other = moved(now, given.op === 'inLast' ? -amount : amount, unit);
    return [{ from: Math.min(now, other), to: Math.max(now, other) }];
  }
  return spansToRanges(given, (value, path) => {
    if (typeof value === 'string' && isDate(value)) {
      const start = dayNumber(value) * dayMs;
      return { from: momentOf(zone, start), to: momentOf(zone, start + dayMs) - 1 };
    }
    const time = readTime(value);
    if (time === null) {
      throw badRequest(
        `${path} must be a day (YYYY-MM-DD), a number of milliseconds or an ISO 8601 time with its offset`,
      );
    }
    return { from: time, to: time };
  });
}

function spansToRanges(given: Given, read: (value: unknown, path: string) => Span): NumberRange[] {
  if (given.op === 'between') {
    const [first, last] = listOf(given, read, 2);
    return [{ from: first!.from, to: last!.to }];
  }
  const [span] = listOf(given, read);
  const { from, to } = span!;
  switch (given.op) {
    case 'before':
      return [{ from: -Infinity, to: from, isToOpen: true }];
    case 'onOrBefore':
      return [{ from: -Infinity, to }];
    case 'after':
      return [{ from: to, to: Infinity, isFromOpen: true }];
    case 'onOrAfter':
      return [{ from, to: Infinity }];
    default:
      return [{ from, to }];
  }
}

function readAmount(
  { value, unit = 'days', path }: Given,
  units: readonly FilterUnit[],
): { amount: number; unit: FilterUnit } {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > filterLimits.amount) {
    throw badRequest(`${path}.value must be a whole number from 1 to ${filterLimits.amount}`);
  }
  const known = units.find((one) => one === unit);
  if (!known) throw badRequest(`${path}.unit must be one of ${units.join(', ')}`);
  return { amount: value as number, unit: known };
}

/** A month before the 31st is the last day of a shorter month. */
function moved(time: number, amount: number, unit: FilterUnit): number {
  if (unit !== 'months') return time + amount * unitMs[unit];
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + amount);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}
