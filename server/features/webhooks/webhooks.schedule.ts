/** When a delivery is retried. */

const s = 1_000;
const min = 60 * s;
const h = 60 * min;

/** The gap before each attempt; after the last one the delivery is exhausted. */
export const gaps = [0, 5 * s, 30 * s, 2 * min, 10 * min, 30 * min, h, 3 * h, 6 * h, 12 * h, 24 * h, 28 * h];
const jitter = 0.2;
/** "No success for 120 hours with an event exhausted" disables an endpoint. */
export const unhealthyAfterMs = 120 * h;
export const heldForMs = 30 * 24 * h;
/** How many attempts of an earlier message a later one of the same session waits for. */
export const orderedAttempts = 4;

/** The gap after `attempts` failed ones, or null if there is no further attempt. */
export function gapAfter(
  attempts: number,
  retryAfterMs: number | null,
  random = Math.random(),
): number | null {
  const gap = gaps[attempts];
  if (gap === undefined) return null;
  // Including jitter, a gap that the receiver lengthened stays within twice its length.
  return Math.round(Math.min(2 * gap, Math.max(gap, retryAfterMs ?? 0) * (1 + jitter * random)));
}
