/** Opening hours: whether a widget is open at a moment, and when that changes next. */
import {
  findHoursProblem,
  isDate,
  minutesOf,
  type OpeningHours,
} from '../../../../contract/widget/opening-hours.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { findTimeZone, momentOf } from '../../../platform/time-zone.ts';

const dayMs = 86_400_000;
/** Far enough for closed weeks around a holiday; a widget that is open for longer than this is loaded again. */
const daysAhead = 21;
const maxChanges = 20;

/** A 400 that names the field. Returns the hours in order, with the canonical name of the zone. */
export function checkHours({ timeZone, week, closedDates }: OpeningHours): OpeningHours {
  // "+03:00" is a zone for newer engines, but not the name of one.
  const zone = /^[A-Za-z]/.test(timeZone) ? findTimeZone(timeZone) : null;
  if (!zone)
    throw badRequest('hours.timeZone must be the IANA name of a time zone, such as America/Sao_Paulo');
  const problem = findHoursProblem(week);
  if (problem?.kind === 'order') throw badRequest(`hours.week[${problem.index}].to must be after from`);
  if (problem) throw badRequest(`hours.week[${problem.index}] overlaps another interval of the same day`);
  const wrong = closedDates.findIndex((date) => !isDate(date));
  if (wrong >= 0) throw badRequest(`hours.closedDates[${wrong}] is not a date`);
  return {
    timeZone: zone.name,
    week: week
      .map(({ day, from, to }) => ({ day, from, to }))
      .sort((a, b) => a.day - b.day || minutesOf(a.from) - minutesOf(b.from)),
    closedDates: [...new Set(closedDates)].sort(),
  };
}

export interface HoursNow {
  isOpen: boolean;
  /** The next times at which it opens or closes, in turn. */
  changes: number[];
}

export function hoursAt(hours: OpeningHours, now: number): HoursNow {
  const { spans, today } = spansAround(hours, now, daysAhead);
  const horizon = today + daysAhead * dayMs;
  const changes = spans.flatMap(({ from, to }) => [from, to]).filter((at) => at > now && at < horizon);
  return { isOpen: isWithin(spans, now), changes: changes.slice(0, maxChanges) };
}

/** The same for each message, without a look ahead. */
export const isOpenAt = (hours: OpeningHours, now: number) => isWithin(spansAround(hours, now, 0).spans, now);

type Span = { from: number; to: number };

const isWithin = (spans: readonly Span[], now: number) =>
  spans.some(({ from, to }) => from <= now && now < to);

/** From yesterday on, by the clocks of the zone, so that 9:00 stays 9:00 when they change. */
function spansAround(
  { timeZone, week, closedDates }: OpeningHours,
  now: number,
  ahead: number,
): { spans: Span[]; today: number } {
  const zone = findTimeZone(timeZone) ?? findTimeZone('UTC')!;
  const today = Math.floor((now + zone.offsetAt(now)) / dayMs) * dayMs;
  const spans: Span[] = [];
  for (let day = today - dayMs; day <= today + ahead * dayMs; day += dayMs) {
    const date = new Date(day);
    if (closedDates.includes(date.toISOString().slice(0, 10))) continue;
    const weekday = date.getUTCDay() || 7;
    for (const one of week) {
      if (one.day !== weekday) continue;
      const from = momentOf(zone, day + minutesOf(one.from) * 60_000);
      const to = momentOf(zone, day + minutesOf(one.to) * 60_000);
      const last = spans.at(-1);
      // Until 24:00 and from 0:00 on is one span.
      if (last && last.to >= from) last.to = Math.max(last.to, to);
      else if (to > from) spans.push({ from, to });
    }
  }
  return { spans, today };
}
