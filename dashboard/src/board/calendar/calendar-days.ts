/** Days as `YYYY-MM-DD`. Times become days in the reader's time zone. */
export type Day = string;
export type DateType = 'date' | 'datetime';

const dayMs = 86_400_000;
const two = (value: number) => String(value).padStart(2, '0');
const utcOf = (day: Day) => Date.parse(`${day}T00:00:00Z`);
const ofUtc = (at: number): Day => new Date(at).toISOString().slice(0, 10);

export function dayAt(at: number): Day {
  const date = new Date(at);
  const year = String(date.getFullYear()).padStart(4, '0');
  return `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const today = (): Day => dayAt(Date.now());
export const addDays = (day: Day, count: number): Day => ofUtc(utcOf(day) + count * dayMs);
export const isSameMonth = (a: Day, b: Day) => a.slice(0, 7) === b.slice(0, 7);

/** The same day of another month, or its last one. */
export function addMonths(day: Day, count: number): Day {
  const date = new Date(utcOf(day));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + count];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return ofUtc(Date.UTC(year, month, Math.min(date.getUTCDate(), last)));
}

/** 0 is Sunday. */
export function firstWeekday(locale: string): number {
  type WithWeek = Intl.Locale & { getWeekInfo?(): { firstDay: number }; weekInfo?: { firstDay: number } };
  const known = new Intl.Locale(locale) as WithWeek;
  return ((known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1) % 7;
}

export function weekOf(day: Day, first: number): Day[] {
  const back = (new Date(utcOf(day)).getUTCDay() - first + 7) % 7;
  return Array.from({ length: 7 }, (_, i) => addDays(day, i - back));
}

/** The whole weeks that a month has days in. */
export function weeksOfMonth(day: Day, first: number): Day[][] {
  const begin = `${day.slice(0, 7)}-01`;
  const weeks: Day[][] = [];
  for (
    let week = weekOf(begin, first);
    week[0]! < addMonths(begin, 1);
    week = weekOf(addDays(week[0]!, 7), first)
  ) {
    weeks.push(week);
  }
  return weeks;
}

/** Null: the value is not a day. */
export function dayOfValue(type: DateType, value: unknown): Day | null {
  if (type === 'datetime') return typeof value === 'number' ? dayAt(value) : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The time of day stays. */
export function valueOn(type: DateType, day: Day, before?: unknown): string | number {
  if (type === 'date') return day;
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const time = typeof before === 'number' ? new Date(before) : null;
  const [hours, minutes] = time ? [time.getHours(), time.getMinutes()] : [9, 0];
  return new Date(
    year,
    month - 1,
    date,
    hours,
    minutes,
    time?.getSeconds() ?? 0,
    time?.getMilliseconds() ?? 0,
  ).getTime();
}
