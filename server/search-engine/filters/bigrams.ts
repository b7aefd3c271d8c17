// Maps bigrams (pairs of adjacent characters) to columns: see bigram-columns.ts.

export const BIGRAM_COLUMNS = 256;
const DIGIT_ZERO = 0x30;
const DIGIT_PAIRS = 100;

/**
 * Bigrams of two digits have columns of their own, because most texts are numbers. Other bigrams may share a column:
 * a set bit is a necessary condition, not a sufficient one.
 */
export function bigramColumnOf(first: number, second: number): number {
  const tens = first - DIGIT_ZERO;
  const ones = second - DIGIT_ZERO;
  if (tens >= 0 && tens < 10 && ones >= 0 && ones < 10) return tens * 10 + ones;
  const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b), 0xc2b2ae35) >>> 15;
  return DIGIT_PAIRS + (hash % (BIGRAM_COLUMNS - DIGIT_PAIRS));
}
