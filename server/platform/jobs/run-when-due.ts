/** A loop that runs only when the pulse finds something for it, or when it is woken. One run at a time. */
import type { Db } from '../db/db.ts';
import { type Waiter, watchWork } from './due-work.ts';

export interface DueLoop<T> extends Pick<Waiter<T>, 'look' | 'isDue'> {
  /** True: there is more to do already. `signal` is aborted when the loop stops. */
  run(signal: AbortSignal): Promise<boolean>;
  onError(error: unknown): void;
  /** The least time between the beginnings of two runs, unless there is more to do. */
  everyMs: number;
  afterErrorMs?: number;
}

export function runWhenDue<T>(db: Db, loop: DueLoop<T>): { wake(): void; stop(): Promise<void> } {
  const { look, isDue, everyMs, afterErrorMs = everyMs } = loop;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isWoken = false;
  let mayRunAt = 0;

  const run = async () => {
    timer = undefined;
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
    running = run().finally(() => {
      running = null;
      if (isWoken) wake();
    });
  };
  const wake = () => {
    if (stopping.signal.aborted) return;
    isWoken = true;
    if (!running) timer ??= setTimeout(begin, Math.max(0, mayRunAt - performance.now()));
  };

  const forget = watchWork<T>(db, { look, isDue, wake });
  begin();
  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await forget();
      await running;
    },
  };
}
