/** Tells the workers of this process that something came in; those of other processes find it at their next poll. */
const listeners = new Set<() => void>();

export function wakeSplitters(): void {
  for (const wake of listeners) wake();
}

export function onWake(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
