import { addMinutes, minutesBetween } from '../../server/features/business-hours/business-hours.ts';
import type { Scenario } from '../scenario.ts';

const dayMs = 86_400_000;
const days = 200_000;
const rounds = 5;
const begin = Date.UTC(2026, 0, 1);
const hours = {
  timeZone: 'America/New_York',
  week: [1, 2, 3, 4, 5].flatMap((day) => [
    { day, from: '09:00', to: '12:00' },
    { day, from: '13:00', to: '18:00' },
  ]),
  closedDates: Array.from({ length: 100 }, (_, index) =>
    new Date(begin + 3 * index * dayMs).toISOString().slice(0, 10),
  ),
};

/** Every conversation with service levels asks with each change. */
export const businessMinutes: Scenario = {
  name: 'business-minutes',
  about: 'the opening minutes of a day, and when four of its hours have passed; in microseconds',
  async alone({ say }) {
    const times = Array.from({ length: rounds }, () => {
      const from = performance.now();
      let sum = 0;
      for (let day = 0; day < days; day++) {
        const at = begin + (day % 365) * dayMs;
        sum += minutesBetween(hours, at, at + dayMs) + addMinutes(hours, at, 240)!;
      }
      say(`${sum % 10}: so that nothing is left out`);
      return ((performance.now() - from) * 1_000) / days;
    });
    const median = times.sort((a, b) => a - b)[rounds >> 1]!;
    return { measures: [{ name: 'µs for a day, median', value: median, goal: { atMost: 20 } }] };
  },
};
