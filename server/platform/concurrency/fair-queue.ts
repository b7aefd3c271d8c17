/** A queue that runs one entry at a time. Keys take turns, so that many entries of one key delay another by one only. */

type FairQueue = <T>(key: string, run: () => Promise<T>) => Promise<T>;

export function createFairQueue(): FairQueue {
  /** The first key is the next one. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;

  const runAll = async () => {
    isRunning = true;
    for (let next = waiting.entries().next(); !next.done; next = waiting.entries().next()) {
      const [key, runs] = next.value;
      const run = runs.shift()!;
      waiting.delete(key);
      if (runs.length > 0) waiting.set(key, runs);
      await run();
    }
    isRunning = false;
  };

  return (key, run) =>
    new Promise((resolve, reject) => {
      const runs = waiting.get(key) ?? [];
      waiting.set(key, runs);
      runs.push(() => run().then(resolve, reject));
      if (!isRunning) void runAll();
    });
}
