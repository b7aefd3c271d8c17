/** A semaphore: limits how much work runs at once; the rest waits in order of arrival. */
import { busy } from '../http/errors.ts';

export interface Turns {
  take<T>(run: () => Promise<T>): Promise<T>;
}

/** Bounds of a queue: beyond either the response is 503 BUSY. */
export interface QueueBounds {
  /** How many may wait. */
  maxWaiting?: number;
  /** How long an entry may have waited when its turn comes. */
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
        // The slot is passed on, not freed: no one gets in before the next waiting entry.
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
