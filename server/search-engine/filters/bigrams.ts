// Pairs of neighbouring characters by number: see bigram-columns.ts.

export const BIGRAM_COLUMNS = 256;
const DIGIT_ZERO = 0x30;
const DIGIT_PAIRS = 100;

/**
 * Pairs of digits have columns of their own: numbers consist of nothing else, and are what most texts are. Other pairs
 * may share a column, so that it is a necessary condition and no more.
 */
export function bigramColumnOf(first: number, second: number): number {
  const tens = first - DIGIT_ZERO;
  const ones = second - DIGIT_ZERO;
  if (tens >= 0 && tens < 10 && ones >= 0 && ones < 10) return tens * 10 + ones;
  const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b), 0xc2b2ae35) >>> 15;
  return DIGIT_PAIRS + (hash % (BIGRAM_COLUMNS - DIGIT_PAIRS));
}
