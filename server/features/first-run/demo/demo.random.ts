/** A seeded random generator (mulberry32), so that the demo looks the same everywhere. */
export interface Chance {
  /** From 0 up to, but excluding, 1. */
  next(): number;
  /** Both ends included. */
  whole(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
  /** This many of them, in their order. */
  some<T>(items: readonly T[], count: number): T[];
  happens(probability: number): boolean;
}

export function createChance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
    some(items, count) {
      const rest = [...items];
      while (rest.length > count) rest.splice(whole(0, rest.length - 1), 1);
      return rest;
    },
    happens: (probability) => next() < probability,
  };
}
