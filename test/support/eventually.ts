/**
 * Repeats until it holds; returns the time it took, or throws after `withinMs`. The pauses grow with the wait: most
 * conditions are requests or queries, and every 5 ms they took up to a tenth of a test's processor time.
 */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    const passedMs = performance.now() - began;
    if (passedMs > withinMs) throw new Error(`did not hold within ${withinMs} ms`);
    const pauseMs = Math.min(Math.max(passedMs / 10, 5), 50);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return performance.now() - began;
}
