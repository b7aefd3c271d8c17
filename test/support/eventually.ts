/** Repeats until it holds; returns the time it took, or throws after `withinMs`. */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - began;
    if (waitedMs > withinMs) throw new Error(`did not hold within ${withinMs} ms`);
    // Less and less often, and never a tenth later than it could: most conditions ask the service or the database.
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, Math.max(5, waitedMs / 10))));
  }
  return performance.now() - began;
}
