/** How fast a host is requested: by all runs of all processes on a database together. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore, type Turns } from '../../../platform/concurrency/semaphore.ts';
import type { Db } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import { type HostState, type HostTurn, lockHost, saveHost } from './knowledge.hosts.sql.ts';

const requestsAtOnce = 2;
const leastIntervalMs = 250;
/** Between two looks whether it is one's turn. */
const lookMs = 100;
/** A turn whose process has not renewed it for so long is over. */
const turnMs = 10_000;
const renewMs = 3_000;

export interface HostPaces {
  /** Runs `request` when the host may be requested again. */
  take<T>(host: string, delayMs: number, signal: AbortSignal, request: () => Promise<T>): Promise<T>;
}

/** `isPolite` false: without a wait, for tests and measurements. */
export function createHostPaces(db: Pick<Db, 'transaction'>, isPolite = true): HostPaces {
  // A process waits in the database with as many requests as the host takes.
  const semaphores = new Map<string, { turns: Turns; users: number }>();
  return {
    async take(host, delayMs, signal, request) {
      const semaphore = semaphores.get(host) ?? { turns: createSemaphore(requestsAtOnce), users: 0 };
      semaphores.set(host, semaphore);
      semaphore.users++;
      try {
        return await semaphore.turns.take(async () => {
          signal.throwIfAborted();
          return isPolite ? await inTurn(db, host, delayMs, signal, request) : await request();
        });
      } finally {
        if (--semaphore.users === 0) semaphores.delete(host);
      }
    },
  };
}

async function inTurn<T>(
  db: Pick<Db, 'transaction'>,
  host: string,
  delayMs: number,
  signal: AbortSignal,
  request: () => Promise<T>,
): Promise<T> {
  const holder = newId();
  const change = (run: (state: HostState) => Omit<HostState, 'now'>) =>
    db.transaction(async (tx) => saveHost(tx, host, run(await lockHost(tx, host))));
  // A turn that cannot be renewed or ended expires: the database is away, and the run will notice.
  const renewal = setInterval(() => void change((state) => renewed(state, holder)).catch(() => {}), renewMs);
  try {
    for (;;) {
      let waitMs: number | null = null;
      await change((state) => {
        const asked = ask(state, holder, Math.max(leastIntervalMs, delayMs));
        waitMs = asked.waitMs;
        return asked;
      });
      await delay(waitMs ?? lookMs, undefined, { signal });
      if (waitMs !== null) return await request();
    }
  } finally {
    clearInterval(renewal);
    await change((state) => ({ ...state, turns: without(alive(state), holder) })).catch(() => {});
  }
}

const alive = ({ turns, now }: HostState): HostTurn[] => turns.filter(({ until }) => until > now);

const without = (turns: readonly HostTurn[], holder: string): HostTurn[] =>
  turns.filter((turn) => turn.holder !== holder);

function renewed(state: HostState, holder: string): HostState {
  const until = state.now + turnMs;
  return {
    ...state,
    turns: alive(state).map((turn) => (turn.holder === holder ? { holder, until } : turn)),
  };
}

/** `waitMs`: until the request may begin. Null: others are before it. */
function ask(state: HostState, holder: string, intervalMs: number): HostState & { waitMs: number | null } {
  const { now, freeAt } = state;
  const turns = [...renewed(state, holder).turns];
  if (!turns.some((turn) => turn.holder === holder)) turns.push({ holder, until: now + turnMs });
  if (turns.findIndex((turn) => turn.holder === holder) >= requestsAtOnce) {
    return { now, freeAt, turns, waitMs: null };
  }
  const startAt = Math.max(now, freeAt);
  return { now, freeAt: startAt + intervalMs, turns, waitMs: startAt - now };
}
