/** Lets at most so many pieces of work run at once; the others wait in the order they came. */
export interface Turns {
  take<T>(run: () => Promise<T>): Promise<T>;
}

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(run) {
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running++;
      try {
        return await run();
      } finally {
        // The place is handed on, not freed: nobody can slip in before the one that waits.
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
