/**
 * Arithmetic in opening hours. A moment is open if the clocks of the zone then show a time within an interval of that
 * day: an hour that the clocks show twice is open twice, one that they skip never.
 */
import type { OpeningHours } from '../../../contract/widget/opening-hours.ts';
import { minutesOf } from '../../../contract/widget/opening-hours.ts';
import { clockAt, findTimeZone, type TimeZone } from '../../platform/time-zone.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Beyond this a moment is not looked for. */
const horizonMs = 100 * 366 * dayMs;
/** How far a widget looks ahead: closed weeks around a holiday. One that is open for longer is loaded again. */
const changesWithinMs = 21 * dayMs;
const maxChanges = 20;

export type Hours = Readonly<Pick<OpeningHours, 'timeZone' | 'week' | 'closedDates'>>;

/** Of a day, in ms since its midnight by the clock. */
interface Interval {
  from: number;
  to: number;
}

interface Prepared {
  zone: TimeZone;
  /** From Monday on. */
  days: readonly (readonly Interval[])[];
  /** Days since 1970. */
  closed: ReadonlySet<number>;
}

const prepared = new WeakMap<Hours, Prepared>();

function prepare(hours: Hours): Prepared {
  const known = prepared.get(hours);
  if (known) return known;
  const days: Interval[][] = Array.from({ length: 7 }, () => []);
  for (const { day, from, to } of hours.week) {
    days[day - 1]!.push({ from: minutesOf(from) * minuteMs, to: minutesOf(to) * minuteMs });
  }
  for (const day of days) day.sort((a, b) => a.from - b.from);
  const closed = new Set(hours.closedDates.map((date) => Date.parse(`${date}T00:00:00Z`) / dayMs));
  const made = { zone: findTimeZone(hours.timeZone) ?? findTimeZone('UTC')!, days, closed };
  prepared.set(hours, made);
  return made;
}

/** Visits the open parts of `from` to `until` in order, until one visit returns false. Neighbours may touch. */
function visitOpen(
  hours: Hours,
  from: number,
  until: number,
  visit: (from: number, to: number) => boolean,
): void {
  const { zone, days, closed } = prepare(hours);
  for (let at = from; at < until; ) {
    const clock = clockAt(zone, at);
    const end = Math.min(clock.to, until);
    const [first, last] = [at + clock.offset, end + clock.offset];
    for (let day = Math.floor(first / dayMs); day * dayMs < last; day++) {
      if (closed.has(day)) continue;
      // 1 January 1970 was a Thursday.
      for (const interval of days[(((day + 3) % 7) + 7) % 7]!) {
        const opens = Math.max(day * dayMs + interval.from, first) - clock.offset;
        const closes = Math.min(day * dayMs + interval.to, last) - clock.offset;
        if (opens < closes && !visit(opens, closes)) return;
      }
    }
    at = end;
  }
}

export function isOpen(hours: Hours, at: number): boolean {
  const { zone, days, closed } = prepare(hours);
  const shown = at + clockAt(zone, at).offset;
  const day = Math.floor(shown / dayMs);
  if (closed.has(day)) return false;
  const time = shown - day * dayMs;
  return days[(((day + 3) % 7) + 7) % 7]!.some(({ from, to }) => from <= time && time < to);
}

/** Negative if `to` is before `from`. */
export function minutesBetween(hours: Hours, from: number, to: number): number {
  if (to < from) return -minutesBetween(hours, to, from);
  let open = 0;
  visitOpen(hours, from, to, (opens, closes) => {
    open += closes - opens;
    return true;
  });
  return open / minuteMs;
}

/**
 * The first moment by which that many minutes were open since `from`: the end of a day rather than the next morning.
 * Null: never.
 */
export function addMinutes(hours: Hours, from: number, minutes: number): number | null {
  if (minutes <= 0) return from;
  if (hours.week.length === 0) return null;
  let left = minutes * minuteMs;
  let reached: number | null = null;
  visitOpen(hours, from, from + horizonMs, (opens, closes) => {
    if (closes - opens >= left) {
      reached = opens + left;
      return false;
    }
    left -= closes - opens;
    return true;
  });
  return reached;
}

/** `at` itself while it is open. Null: never. */
export function nextOpening(hours: Hours, at: number): number | null {
  if (hours.week.length === 0) return null;
  let found: number | null = null;
  visitOpen(hours, at, at + horizonMs, (opens) => {
    found = opens;
    return false;
  });
  return found;
}

export interface HoursNow {
  isOpen: boolean;
  /** The next times at which it opens or closes, in turn. */
  changes: number[];
}

/** What a widget shows. */
export function hoursAt(hours: Hours, now: number): HoursNow {
  const until = now + changesWithinMs;
  const spans: { from: number; to: number }[] = [];
  visitOpen(hours, now, until, (from, to) => {
    const last = spans.at(-1);
    if (last?.to === from) last.to = to;
    else spans.push({ from, to });
    return spans.length <= maxChanges;
  });
  const changes = spans.flatMap(({ from, to }) => [from, to]).filter((at) => at > now && at < until);
  return { isOpen: spans[0]?.from === now, changes: changes.slice(0, maxChanges) };
}
