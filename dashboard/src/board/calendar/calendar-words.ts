/** Days and periods in words, by the reader's locale. */
import { locale } from '../../texts/texts.ts';
import type { Day } from './calendar-days.ts';

const format = (day: Day, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' }).format(Date.parse(`${day}T00:00:00Z`));

/** Monday 16 November 2026 */
export const wholeDay = (day: Day) => format(day, { dateStyle: 'full' });
export const shortDay = (day: Day) => format(day, { weekday: 'short', day: 'numeric', month: 'short' });
export const weekdayName = (day: Day) => format(day, { weekday: 'short' });
export const monthName = (day: Day) => format(day, { month: 'long', year: 'numeric' });
export const dayNumber = (day: Day) => format(day, { day: 'numeric' });
export const dayAndMonthOf = (day: Day) => format(day, { day: 'numeric', month: 'short' });

/** 16 – 22 Nov 2026 */
export const rangeOf = (from: Day, to: Day) =>
  new Intl.DateTimeFormat(locale(), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).formatRange(Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`));
