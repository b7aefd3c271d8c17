/** What the ratios of alternating bursts say about a change, and how surely. */
import { Random } from '../corpus/random.ts';
import { median } from '../load/pairs.ts';

export interface Interval {
  median: number;
  low: number;
  high: number;
}

/** Fixed: the same ratios always give the same interval. */
const seed = 20_261_117;
const samples = 1_000;
const confidence = 0.95;

/**
 * Bootstrap over pairs: draws as many pairs as there are, with replacement, and takes the median of each sample. The
 * interval holds the middle 95 % of these medians.
 */
export function ratioInterval(ratios: readonly number[]): Interval {
  const random = new Random(seed);
  const medians = Array.from({ length: samples }, () => median(ratios.map(() => random.pick(ratios))));
  medians.sort((a, b) => a - b);
  const outside = Math.floor((samples * (1 - confidence)) / 2);
  return { median: median(ratios), low: medians[outside]!, high: medians[samples - 1 - outside]! };
}

/** True if the whole interval is below: noise alone widens the interval and does not count as a loss. */
export function showsLoss({ high }: Interval, allowed: number): boolean {
  return high < 1 - allowed;
}
