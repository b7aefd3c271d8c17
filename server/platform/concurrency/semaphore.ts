/** A semaphore: at most so many pieces of work run at once; the others wait in the order they came. */
import { busy } from '../http/errors.ts';

export interface Turns {
  take<T>(run: () => Promise<T>): Promise<T>;
}

/** What bounds a queue: beyond either figure the answer is 503 BUSY. */
export interface QueueBounds {
  /** How many may wait. */
  maxWaiting?: number;
  /** How long one may have waited when its turn comes. */
  maxWaitMs?: number;
}

const { POSITIVE_INFINITY: unbounded } = Number;

export function createSemaphore(
  atOnce: number,
  { maxWaiting = unbounded, maxWaitMs = unbounded }: QueueBounds = {},
): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(run) {
      const deadline = performance.now() + maxWaitMs;
      if (running >= atOnce) {
        if (waiting.length >= maxWaiting) throw busy();
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else running++;
      try {
        if (performance.now() > deadline) throw busy();
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
