/** Repeats until it holds; returns the time it took, or throws after `withinMs`. */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > withinMs) throw new Error(`did not hold within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - began;
}
