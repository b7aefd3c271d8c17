/** Days and times of tasks, in the reader's time zone. A due date without a time is stored as 23:59 of that day. */
import { clockTime, dayAndMonth, weekday } from '../texts/format.ts';
import { t } from '../texts/texts.ts';

const dayMs = 86_400_000;

/** Over a change of the clocks a day is not 24 hours: the calendar counts. */
export function dayAt(now: number, days: number, hours: number, minutes: number): number {
  const day = new Date(now);
  day.setDate(day.getDate() + days);
  return day.setHours(hours, minutes, 0, 0);
}

export const endOfDay = (now: number, days = 0) => dayAt(now, days, 23, 59);

export function isWholeDay(at: number): boolean {
  const time = new Date(at);
  return time.getHours() === 23 && time.getMinutes() === 59;
}

/** Days from today to the day of `at`; negative: before today. */
export const daysUntil = (at: number, now: number) =>
  Math.round((dayAt(at, 0, 0, 0) - dayAt(now, 0, 0, 0)) / dayMs);

/** The Monday after today. */
export const nextMonday = (now: number) => (8 - new Date(now).getDay()) % 7 || 7;

export type DueGroup = 'overdue' | 'today' | 'week' | 'later' | 'none';
export const dueGroups: readonly DueGroup[] = ['overdue', 'today', 'week', 'later', 'none'];

/** The week ends on Sunday. */
export function groupOf(dueAt: number | null, now: number): DueGroup {
  if (dueAt === null) return 'none';
  if (isOverdue(dueAt, now)) return 'overdue';
  const days = daysUntil(dueAt, now);
  if (days <= 0) return 'today';
  return days < nextMonday(now) ? 'week' : 'later';
}

/** A whole day is over with its last minute. */
export const isOverdue = (dueAt: number, now: number) =>
  isWholeDay(dueAt) ? dueAt + 60_000 <= now : dueAt < now;

export function dueText(at: number, now = Date.now()): string {
  const day = dayText(at, now);
  return isWholeDay(at) ? day : `${day}, ${clockTime(at)}`;
}

function dayText(at: number, now: number): string {
  const days = daysUntil(at, now);
  if (days === 0) return t('tasks.today');
  if (days === 1) return t('tasks.tomorrow');
  if (days === -1) return t('tasks.yesterday');
  return days > 1 && days < 7 ? weekday(at) : dayAndMonth(at, now);
}

/** For the inputs of the browser, in local time. */
export function inputsOf(at: number): { date: string; time: string } {
  const pad = (value: number) => String(value).padStart(2, '0');
  const day = new Date(at);
  return {
    date: `${String(day.getFullYear()).padStart(4, '0')}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`,
    time: `${pad(day.getHours())}:${pad(day.getMinutes())}`,
  };
}

/** Null: no such day. */
export function fromInputs(date: string, time: string): number | null {
  const at = new Date(`${date}T${time}`).getTime();
  return Number.isNaN(at) || at < 0 ? null : at;
}
