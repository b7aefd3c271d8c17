/**
 * The service follows the database's clock, so that several machines agree and a wrong system clock changes no
 * schedule, window or expiry. The offset is measured at start and twice a minute.
 */
import type { Db } from './db.ts';
import { sql } from './sql.ts';

export interface Clock {
  /** Unix epoch milliseconds of the database. */
  now(): number;
  stop(): void;
}

const measureEveryMs = 30_000;
const largestHoldMs = 1_000;

export async function startClock(db: Db): Promise<Clock> {
  let offset = await measureOffset(db);
  const timer = setInterval(() => {
    measureOffset(db).then(
      (measured) => {
        offset = measured;
      },
      () => {}, // the database is away: the last offset is the best there is
    );
  }, measureEveryMs);
  timer.unref();
  let last = 0;
  return {
    now() {
      const time = Math.round(Date.now() + offset);
      // A measurement on a busy machine is off by some milliseconds: later rows must not look older.
      if (time >= last || last - time > largestHoldMs) last = time;
      return last;
    },
    stop: () => clearInterval(timer),
  };
}

async function measureOffset(db: Db): Promise<number> {
  const before = Date.now();
  const [row] = await db.query<{ now: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
  );
  const middle = (before + Date.now()) / 2;
  return Number(row?.now) - middle;
}
