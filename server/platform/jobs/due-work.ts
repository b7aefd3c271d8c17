/**
 * One read for all background work of a database that may be due. Who waits for rows of other processes, or for a time,
 * says how to look for them and is woken when there are some. Many loops that each claim in vain would keep an idle
 * instance busy.
 */
import type { Db } from '../db/db.ts';
import { join, type Sql, sql } from '../db/sql.ts';

const readEveryMs = 100;

export interface Waiter<T> {
  /** An expression of one value. Those who look for the same work share it by its name. */
  look: { name: string; value: Sql };
  isDue(found: T): boolean;
  /** Also if the read has failed: its own claim then reports what is wrong. */
  wake(): void;
  /** The least time between two wakes. */
  everyMs?: number;
}

interface Watch {
  waiters: Set<{ waiter: Waiter<unknown>; wokenAt: number }>;
  timer: NodeJS.Timeout;
  reading: Promise<void> | null;
}

const watches = new WeakMap<Db, Watch>();

/** The returned function ends the wait; afterwards nothing is read for it any more. */
export function watchWork<T>(db: Db, waiter: Waiter<T>): () => Promise<void> {
  const watch = watches.get(db) ?? startWatch(db);
  const one = { waiter: waiter as Waiter<unknown>, wokenAt: Number.NEGATIVE_INFINITY };
  watch.waiters.add(one);
  return async () => {
    watch.waiters.delete(one);
    if (watch.waiters.size === 0) {
      clearInterval(watch.timer);
      watches.delete(db);
    }
    await watch.reading;
  };
}

function startWatch(db: Db): Watch {
  const watch: Watch = {
    waiters: new Set(),
    timer: setInterval(() => {
      watch.reading ??= wakeThoseWithWork(db, watch).finally(() => {
        watch.reading = null;
      });
    }, readEveryMs),
    reading: null,
  };
  watches.set(db, watch);
  return watch;
}

async function wakeThoseWithWork(db: Db, { waiters }: Watch): Promise<void> {
  const values = new Map([...waiters].map(({ waiter }) => [waiter.look.name, waiter.look.value]));
  const found = await readAll(db, values).catch(() => null);
  const now = performance.now();
  for (const one of waiters) {
    const { look, isDue, wake, everyMs = 0 } = one.waiter;
    // Added meanwhile: it is asked for with the next read.
    if (found && !found.has(look.name)) continue;
    if (now - one.wokenAt < everyMs || (found && !isDue(found.get(look.name)))) continue;
    one.wokenAt = now;
    wake();
  }
}

async function readAll(db: Db, values: ReadonlyMap<string, Sql>): Promise<Map<string, unknown>> {
  const columns = [...values.values()].map((value) => sql`to_jsonb(${value})`);
  const [row] = await db.query<{ found: unknown[] }>(
    sql`select jsonb_build_array(${join(columns, ', ')}) as found`,
  );
  return new Map([...values.keys()].map((name, index) => [name, row!.found[index]]));
}
