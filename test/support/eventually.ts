import { startPatience } from './patience.ts';

/** Repeats until it holds; returns the time it took, or throws after `withinMs`. */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<number> {
  const began = performance.now();
  const patience = startPatience(withinMs);
  // What takes long is asked for less often: most conditions call the service.
  for (let ms = 5; !(await holds()); ms = Math.min(40, ms * 1.3)) {
    if (patience.isOver()) throw new Error(`did not hold within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return performance.now() - began;
}
