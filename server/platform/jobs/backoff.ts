const firstMs = 1_000;
const longestMs = 600_000;
const jitter = 0.2;

/** The wait after the given number of failures, at least one: it doubles from a second to ten minutes. */
export const backoffMs = (failures: number): number =>
  Math.min(firstMs * 2 ** Math.min(failures - 1, 20), longestMs) * (1 + Math.random() * jitter);
