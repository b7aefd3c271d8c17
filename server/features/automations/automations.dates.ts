/** Values of date fields as moments. */
import { findTimeZone, momentOf } from '../../platform/time-zone.ts';

/** `at` and `timeZone`: of a date without a time. Null: it is none. */
export function momentOfDate(value: unknown, at = '00:00', timeZone = 'UTC'): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const shown = Date.parse(`${value}T${at}:00Z`);
  const zone = findTimeZone(timeZone);
  return Number.isNaN(shown) || !zone ? null : momentOf(zone, shown);
}
