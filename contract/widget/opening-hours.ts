/** The opening hours of a widget: their shape, and the rules that the service and the settings form share. */
import type { Static } from 'typebox';
import { patterns } from '../shapes/patterns.ts';
import { Type } from '../shapes/type.ts';
import { nullable } from '../shapes/values.ts';

const hoursLimits = { intervals: 70, closedDates: 200 } as const;

const Time = (description: string) =>
  Type.String({ pattern: patterns.endOfInterval, description, examples: ['09:00'] });

export const OpeningInterval = Type.Object({
  day: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday, 7 Sunday.', examples: [1] }),
  from: Time('By the clock of the time zone.'),
  to: Type.String({ ...Time('Exclusive. `24:00` is the end of the day.'), examples: ['17:30'] }),
});
export type OpeningInterval = Static<typeof OpeningInterval>;

export const OpeningHours = Type.Object(
  {
    timeZone: Type.String({ maxLength: 64, description: 'An IANA name.', examples: ['Europe/Lisbon'] }),
    week: Type.Array(OpeningInterval, {
      maxItems: hoursLimits.intervals,
      description: 'Several per day are possible; they must not overlap. A day without one is closed.',
    }),
    closedDates: Type.Array(Type.String({ pattern: patterns.date, examples: ['2027-12-25'] }), {
      maxItems: hoursLimits.closedDates,
      description: 'Closed all day, such as public holidays.',
    }),
  },
  {
    examples: [
      {
        timeZone: 'Europe/Lisbon',
        week: [{ day: 1, from: '09:00', to: '17:30' }],
        closedDates: ['2027-12-25'],
      },
    ],
  },
);
export type OpeningHours = Static<typeof OpeningHours>;
export const OptionalHours = nullable(OpeningHours);

/** Minutes since midnight. */
export function minutesOf(time: string): number {
  const [hour, minute] = time.split(':').map(Number);
  return hour! * 60 + minute!;
}

export interface HoursProblem {
  /** Of `week`. */
  index: number;
  kind: 'order' | 'overlap';
}

/** Of times in the right format. Null: the intervals are in order and do not overlap. */
export function findHoursProblem(week: readonly OpeningInterval[]): HoursProblem | null {
  for (const [index, one] of week.entries()) {
    if (minutesOf(one.from) >= minutesOf(one.to)) return { index, kind: 'order' };
    const overlaps = week
      .slice(0, index)
      .some(
        (other) =>
          other.day === one.day &&
          minutesOf(other.from) < minutesOf(one.to) &&
          minutesOf(one.from) < minutesOf(other.to),
      );
    if (overlaps) return { index, kind: 'overlap' };
  }
  return null;
}

/** Whether there is such a day: not the 30th of February. */
export function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
