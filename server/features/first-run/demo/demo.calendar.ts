/**
 * When things happen at a business: more on working days than on Sundays, more at ten than at midnight, with growth
 * over time.
 */
import type { Chance } from './demo.random.ts';

export const day = 86_400_000;
const hour = 3_600_000;
const minute = 60_000;

/** The share of a week's work on each day, from Sunday. */
const daily = [0.15, 1, 1.1, 1.05, 1, 0.9, 0.35];
/** By hour, as customers write. */
const hourly = [
  0.02, 0.01, 0.01, 0.01, 0.02, 0.05, 0.2, 0.5, 0.9, 1.3, 1.5, 1.4, 1, 0.9, 1.2, 1.3, 1.2, 1, 0.7, 0.5, 0.4,
  0.3, 0.15, 0.06,
];
const opens = 8;
const closes = 18;

/** A plausible moment between the two for a customer to write. */
export function busyMoment(chance: Chance, from: number, to: number): number {
  for (;;) {
    const at = chance.whole(from, to);
    const when = new Date(at);
    const growth = 0.55 + 0.45 * ((at - from) / Math.max(1, to - from));
    const likely = (daily[when.getDay()]! * hourly[when.getHours()]! * growth) / 1.65;
    if (chance.happens(likely)) return at;
  }
}

/** The same moment, or the start of the next working day with a short delay. */
export function workingMoment(chance: Chance, at: number): number {
  const when = new Date(at);
  const isOpen = when.getDay() % 6 !== 0 && when.getHours() >= opens && when.getHours() < closes;
  if (isOpen) return at;
  if (when.getHours() >= closes) when.setDate(when.getDate() + 1);
  while (when.getDay() % 6 === 0) when.setDate(when.getDate() + 1);
  when.setHours(opens, 0, 0, 0);
  return when.getTime() + chance.whole(2 * minute, 70 * minute);
}

/** How long each of them takes to write, in milliseconds. Most are quick, a few are not. */
export const pause = {
  customer: (chance: Chance) =>
    chance.happens(0.08) ? chance.whole(20 * minute, 5 * hour) : chance.whole(15_000, 4 * minute),
  ai: (chance: Chance) => chance.whole(900, 4_200),
  person: (chance: Chance, isFirst: boolean) =>
    isFirst ? chance.whole(90_000, 28 * minute) : chance.whole(25_000, 5 * minute),
  note: (chance: Chance) => chance.whole(20_000, 3 * minute),
};

/** From one status to the next. */
export const untilNextStatus = (chance: Chance) => chance.whole(3 * hour, 9 * day);
