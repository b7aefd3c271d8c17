/** How fast a host is asked: by all runs of a process together. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore, type Turns } from '../../../platform/concurrency/semaphore.ts';

const requestsAtOnce = 2;
const leastIntervalMs = 250;

export interface HostPaces {
  /** Runs `request` when the host may be asked again. */
  take<T>(host: string, delayMs: number, signal: AbortSignal, request: () => Promise<T>): Promise<T>;
}

interface Pace {
  turns: Turns;
  /** When the next request may begin. */
  freeAt: number;
  users: number;
}

/** `isPolite` false: without a wait, for tests and measurements. */
export function createHostPaces(isPolite = true): HostPaces {
  const paces = new Map<string, Pace>();
  const forgetIdle = (host: string, pace: Pace) => {
    if (--pace.users > 0) return;
    if (pace.freeAt <= performance.now()) paces.delete(host);
  };
  return {
    async take(host, delayMs, signal, request) {
      const pace = paces.get(host) ?? { turns: createSemaphore(requestsAtOnce), freeAt: 0, users: 0 };
      paces.set(host, pace);
      pace.users++;
      try {
        return await pace.turns.take(async () => {
          if (isPolite) {
            const now = performance.now();
            const startAt = Math.max(now, pace.freeAt);
            pace.freeAt = startAt + Math.max(leastIntervalMs, delayMs);
            if (startAt > now) await delay(startAt - now, undefined, { signal });
          }
          signal.throwIfAborted();
          return await request();
        });
      } finally {
        forgetIdle(host, pace);
      }
    },
  };
}
