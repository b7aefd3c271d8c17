/** Moves by hand that are being sent, by board. A column that is read meanwhile has the cards where they were. */
const moves = new Map<string, Set<Promise<unknown>>>();

/** A move that gets no answer does not hold up the column for longer. */
const waitMs = 3_000;

export async function asMove<T>(kanbanId: string, move: () => Promise<T>): Promise<T> {
  const running = moves.get(kanbanId) ?? new Set();
  moves.set(kanbanId, running);
  const mine = move();
  running.add(mine);
  try {
    return await mine;
  } finally {
    running.delete(mine);
    if (running.size === 0 && moves.get(kanbanId) === running) moves.delete(kanbanId);
  }
}

/** Waits until no card of the board is being moved. */
export async function movesEnded(kanbanId: string): Promise<void> {
  if (!moves.has(kanbanId)) return;
  const isLate = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), waitMs));
  for (let running = moves.get(kanbanId); running; running = moves.get(kanbanId)) {
    if ((await Promise.race([Promise.allSettled(running), isLate])) === 'late') return;
  }
}
