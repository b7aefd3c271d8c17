/** How fast a host is asked: by all runs of a process together. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore, type Turns } from '../../../platform/concurrency/semaphore.ts';

const requestsAtOnce = 2;
const leastIntervalMs = 250;

export interface HostPaces {
  /** Runs `request` when the host may be asked again. */
  take<T>(host: string, delayMs: number, signal: AbortSignal, request: () => Promise<T>): Promise<T>;
  /** Hosts that are remembered. */
  readonly size: number;
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
  const forgetIdle = () => {
    const now = performance.now();
    for (const [host, { users, freeAt }] of paces) if (users === 0 && freeAt <= now) paces.delete(host);
  };
  return {
    get size() {
      return paces.size;
    },
    async take(host, delayMs, signal, request) {
      // A host may not be asked again for a moment after its last request: so the next one forgets it, of whichever host.
      forgetIdle();
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
        pace.users--;
      }
    },
  };
}
