/** Times, numbers and money by the reader's locale. */
import { locale, t } from './texts.ts';

const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>();
function keep<T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: () => T,
): T {
  const key = `${locale()} ${name}`;
  let format = made.get(key) as T | undefined;
  if (!format) {
    format = make();
    made.set(key, format);
  }
  return format;
}

export const number = (value: number) =>
  keep('number', () => new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 })).format(value);
/** As it is typed: by the locale's decimal sign, without separating thousands. */
export const typedNumber = (value: number) =>
  keep(
    'typed',
    () => new Intl.NumberFormat(locale(), { useGrouping: false, maximumFractionDigits: 20 }),
  ).format(value);
export const decimalSign = () => typedNumber(0.5).charAt(1);
/** Without a currency where the field has none. */
export const money = (value: number, currency?: string) =>
  keep(`money ${currency}`, () => new Intl.NumberFormat(locale(), moneyForm(currency))).format(value);
const moneyForm = (currency?: string): Intl.NumberFormatOptions =>
  currency ? { style: 'currency', currency } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
/** Short, for the head of a column: 12.4K, or €12.4K. */
export const compact = (value: number, currency?: string) =>
  keep(
    `compact ${currency}`,
    () =>
      new Intl.NumberFormat(locale(), {
        notation: 'compact',
        maximumFractionDigits: 1,
        ...(currency && { style: 'currency', currency }),
      }),
  ).format(value);
export const shortDate = (at: number) =>
  keep(
    'short',
    () => new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', year: 'numeric' }),
  ).format(at);
export const weekday = (at: number) =>
  keep('weekday', () => new Intl.DateTimeFormat(locale(), { weekday: 'long' })).format(at);
export const fullDate = (at: number) =>
  keep('full', () => new Intl.DateTimeFormat(locale(), { dateStyle: 'full', timeStyle: 'medium' })).format(
    at,
  );
export const dateTime = (at: number) =>
  keep('both', () => new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' })).format(
    at,
  );
/** With the name of the reader's time zone. */
export const dateTimeZone = (at: number) =>
  keep(
    'zoned',
    () =>
      new Intl.DateTimeFormat(locale(), {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        timeZoneName: 'short',
      }),
  ).format(at);
export const clockTime = (at: number) =>
  keep('clock', () => new Intl.DateTimeFormat(locale(), { hour: 'numeric', minute: '2-digit' })).format(at);
/** When something is planned: the time of day if it is the same day, else with its day. */
export const dayAndTime = (at: number, now = Date.now()) =>
  new Date(at).toDateString() === new Date(now).toDateString()
    ? clockTime(at)
    : keep(
        'planned',
        () =>
          new Intl.DateTimeFormat(locale(), {
            weekday: 'short',
            day: 'numeric',
            month: 'short',
            hour: 'numeric',
            minute: '2-digit',
          }),
      ).format(at);
/** The time of day somewhere else. */
export const clockTimeIn = (timeZone: string, at: number) =>
  keep(
    `clock ${timeZone}`,
    () => new Intl.DateTimeFormat(locale(), { timeZone, hour: 'numeric', minute: '2-digit' }),
  ).format(at);
/** A calendar day as stored, `YYYY-MM-DD`, belongs to no time zone. */
export const plainDate = (text: string) => {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) return text;
  return keep(
    'plain',
    () =>
      new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
  ).format(at);
};
export const bytes = (size: number) => {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, size)) / 10));
  return `${number(Math.round((size / 1024 ** power) * 10) / 10)} ${units[power]}`;
};

/** In a sentence: "now", "5 min. ago", "3 hr. ago", "4 days ago", then the date. */
export function timeAgo(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  const ago = (count: number, unit: 'minute' | 'hour' | 'day') =>
    keep('ago', () => new Intl.RelativeTimeFormat(locale(), { style: 'short' })).format(-count, unit);
  if (minutes < 1) return t('time.now');
  if (minutes < 60) return ago(minutes, 'minute');
  if (minutes < 60 * 24) return ago(Math.floor(minutes / 60), 'hour');
  if (minutes < 60 * 24 * 7) return ago(Math.floor(minutes / 1_440), 'day');
  return dayAndMonth(at, now);
}

/** Short, for lists: "now", "5m", "3h", "4d", then the date. */
export function relativeTime(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return t('time.now');
  if (minutes < 60) return t('time.minutes', { count: minutes });
  if (minutes < 60 * 24) return t('time.hours', { count: Math.floor(minutes / 60) });
  if (minutes < 60 * 24 * 7) return t('time.days', { count: Math.floor(minutes / 1_440) });
  return dayAndMonth(at, now);
}

export const dayAndMonth = (at: number, now: number) =>
  new Date(at).getFullYear() === new Date(now).getFullYear()
    ? keep('day', () => new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' })).format(at)
    : shortDate(at);
