/** A loop that runs only when the pulse finds something for it, or when it is woken. One run at a time. */
import type { Db } from '../db/db.ts';
import { type Waiter, watchWork } from './due-work.ts';

export interface DueLoop<T> extends Pick<Waiter<T>, 'look' | 'isDue'> {
  /** True: there is more to do already. `signal` is aborted when the loop stops. */
  run(signal: AbortSignal): Promise<boolean>;
  onError(error: unknown): void;
  /** The least time between the beginnings of two runs, unless there is more to do. */
  everyMs: number;
  /** The same for what the pulse finds; what wakes the loop need not wait. */
  lookEveryMs?: number;
  afterErrorMs?: number;
  /** At the end, before the row of the process may go: what the runs have begun. */
  settle?(): Promise<unknown>;
}

export interface RunningLoop {
  wake(): void;
  stop(): Promise<void>;
}

export function runWhenDue<T>(db: Db, loop: DueLoop<T>): RunningLoop {
  const { look, isDue, everyMs, lookEveryMs, afterErrorMs = everyMs } = loop;
  const stopping = new AbortController();
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let isWoken = false;
  let mayRunAt = 0;

  const run = async () => {
    isWoken = false;
    mayRunAt = performance.now() + everyMs;
    try {
      if (!(await loop.run(stopping.signal))) return;
      isWoken = true;
      mayRunAt = 0;
    } catch (error) {
      loop.onError(error);
      mayRunAt = performance.now() + afterErrorMs;
    }
  };
  const begin = () => {
    cancel = null;
    running = run().finally(() => {
      running = null;
      if (isWoken) wake();
    });
  };
  const wake = () => {
    if (stopping.signal.aborted) return;
    isWoken = true;
    if (!running) cancel ??= after(mayRunAt - performance.now(), begin);
  };

  const forget = watchWork<T>(db, { look, isDue, wake, everyMs: lookEveryMs });
  begin();
  return {
    wake,
    async stop() {
      stopping.abort();
      cancel?.();
      await running;
      await loop.settle?.();
      await forget();
    },
  };
}

/** Without a wait: when everything else of this turn has woken the loop too. */
function after(waitMs: number, begin: () => void): () => void {
  if (waitMs <= 0) {
    const turn = setImmediate(begin);
    return () => clearImmediate(turn);
  }
  const timer = setTimeout(begin, waitMs);
  return () => clearTimeout(timer);
}
