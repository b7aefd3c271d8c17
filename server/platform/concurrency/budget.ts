/** Limits the sum of what runs at once, such as bytes in memory; the rest waits in order of arrival. */
export interface Budget {
  /** An amount above the whole budget runs alone. */
  take<T>(amount: number, run: () => Promise<T>): Promise<T>;
}

export function createBudget(total: number): Budget {
  const waiting: { amount: number; start: () => void }[] = [];
  let free = total;
  const startNext = () => {
    while (waiting.length > 0 && waiting[0]!.amount <= free) {
      const { amount, start } = waiting.shift()!;
      free -= amount;
      start();
    }
  };
  return {
    async take(wanted, run) {
      const amount = Math.min(wanted, total);
      if (amount <= 0) return run();
      await new Promise<void>((start) => {
        waiting.push({ amount, start });
        startNext();
      });
      try {
        return await run();
      } finally {
        free += amount;
        startNext();
      }
    },
  };
}
