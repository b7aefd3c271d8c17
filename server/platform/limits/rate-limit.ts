/**
 * Exact sliding windows, shared by all processes through one function in the database (migration 0002). A request
 * asks the database before it runs, batched with all that wait at that moment. Only if the limit is very high does a
 * process hold a lease: a small part of what is left, which no other process can be granted meanwhile, so that it may
 * admit requests locally and report within `reportMs`. Reported requests count from the report, which is later than
 * they were: the windows are never exceeded, however many processes there are.
 */
import type { Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { AppError } from '../http/errors.ts';
import { newId } from '../ids.ts';

export interface RateWindow {
  limit: number;
  seconds: number;
}

export interface RateVerdict {
  admitted: boolean;
  /** For the tighter window. */
  limit: number;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
}

export interface RateLimits {
  /** `windows` null: the account's own limits of that bucket, read at every call so that a change applies at once. */
  admit(accountId: string, bucket: string, windows: RateWindow[] | null): Promise<RateVerdict>;
  /** The same without waiting, if a lease allows it; null: ask `admit`. */
  admitAtOnce(accountId: string, bucket: string): RateVerdict | null;
  /** The account's limits have changed: nothing more is admitted under a lease with the old ones. */
  changed(accountId: string): void;
  /** Reports what was admitted and returns the leases. */
  close(): Promise<void>;
}

const leaseShare = 64;
const reportMs = 50;
/** Far less than the lease's lifetime in the database, so that no request is admitted under an expired one. */
const leaseUsedMs = 100;

interface Counter {
  accountId: string;
  bucket: string;
  windows: RateWindow[] | null;
  leased: number;
  usableUntil: number;
  /** When the account's limits last changed: a lease that was asked for before has the old ones. */
  changedAt: number;
  unreported: number;
  waiting: { resolve: (verdict: RateVerdict) => void; reject: (error: unknown) => void }[];
  last: PermitRow | null;
  /** The running exchange with the database. */
  running: Promise<void> | null;
}

interface PermitRow {
  granted: number;
  leased: number;
  limit_of: number;
  remaining: number;
  reset_at: number;
  retry_after_ms: number;
}

export function createRateLimits(db: Db): RateLimits {
  const holder = newId();
  const counters = new Map<string, Counter>();

  const counterOf = (accountId: string, bucket: string): Counter => {
    const key = `${accountId}|${bucket}`;
    let counter = counters.get(key);
    if (!counter) {
      counter = {
        accountId,
        bucket,
        windows: null,
        leased: 0,
        usableUntil: 0,
        changedAt: 0,
        unreported: 0,
        waiting: [],
        last: null,
        running: null,
      };
      counters.set(key, counter);
    }
    return counter;
  };

  const exchange = async (counter: Counter, share: number): Promise<void> => {
    do {
      const batch = counter.waiting.splice(0);
      const reported = counter.unreported;
      const askedAt = performance.now();
      try {
        const row = await takePermits(db, counter, holder, reported, batch.length, share);
        counter.unreported -= reported;
        counter.last = row;
        counter.leased = row.leased;
        counter.usableUntil = askedAt > counter.changedAt ? askedAt + leaseUsedMs : 0;
        for (const [index, waiter] of batch.entries()) {
          waiter.resolve(verdictOf(row, index < row.granted, Math.max(0, row.granted - 1 - index)));
        }
        // Requests that arrived meanwhile need not wait for another exchange: under steady traffic it would never
        // end.
        while (counter.waiting.length > 0 && mayAdmit(counter)) {
          counter.waiting.shift()!.resolve(admitUnderLease(counter));
        }
      } catch (error) {
        // The lease may have been replaced anyway; reporting twice errs on the safe side.
        counter.usableUntil = 0;
        for (const waiter of batch) waiter.reject(error);
        // Without the database, requests that arrived meanwhile would wait for their own timeout: 4 s instead of the
        // promised 2.
        if (error instanceof AppError) for (const waiter of counter.waiting.splice(0)) waiter.reject(error);
      }
    } while (counter.waiting.length > 0);
  };

  /** Nothing is admitted under a lease while it is being replaced: the new one may be smaller. */
  const start = (counter: Counter, share: number): Promise<void> => {
    counter.running ??= exchange(counter, share).finally(() => {
      counter.running = null;
      if (counter.leased === 0 && counter.unreported === 0)
        counters.delete(`${counter.accountId}|${counter.bucket}`);
    });
    return counter.running;
  };

  const report = setInterval(() => {
    for (const counter of counters.values()) {
      if (!counter.running) void start(counter, counter.unreported > 0 ? leaseShare : 0);
    }
  }, reportMs);
  report.unref();

  const admitAtOnce = (accountId: string, bucket: string): RateVerdict | null => {
    const counter = counters.get(`${accountId}|${bucket}`);
    return counter && !counter.running && mayAdmit(counter) ? admitUnderLease(counter) : null;
  };

  return {
    admitAtOnce,
    async admit(accountId, bucket, windows) {
      const admitted = admitAtOnce(accountId, bucket);
      if (admitted) return admitted;
      const counter = counterOf(accountId, bucket);
      counter.windows = windows;
      return new Promise((resolve, reject) => {
        counter.waiting.push({ resolve, reject });
        void start(counter, leaseShare);
      });
    },
    changed(accountId) {
      for (const counter of counters.values()) {
        if (counter.accountId === accountId)
          Object.assign(counter, { usableUntil: 0, changedAt: performance.now() });
      }
    },
    async close() {
      clearInterval(report);
      const giveBack = async (counter: Counter) => {
        await counter.running;
        await start(counter, 0);
      };
      await Promise.all([...counters.values()].map(giveBack));
    },
  };
}

function mayAdmit(counter: Counter): boolean {
  return counter.unreported < counter.leased && performance.now() < counter.usableUntil;
}

function admitUnderLease(counter: Counter): RateVerdict {
  const last = counter.last!;
  counter.unreported++;
  return verdictOf(last, true, -counter.unreported);
}

function verdictOf(row: PermitRow, admitted: boolean, grantedAfter: number): RateVerdict {
  return {
    admitted,
    limit: row.limit_of,
    remaining: admitted ? row.remaining + grantedAfter : 0,
    resetSeconds: Math.ceil(row.reset_at / 1000),
    retryAfterSeconds: Math.max(1, Math.ceil(row.retry_after_ms / 1000)),
  };
}

async function takePermits(
  db: Db,
  { accountId, bucket, windows }: Counter,
  holder: string,
  reported: number,
  wanted: number,
  share: number,
): Promise<PermitRow> {
  const [row] = await db.query<PermitRow>(sql`
    select granted, leased, limit_of, remaining, reset_at, retry_after_ms
    from take_permits(${accountId}, ${bucket}, ${windows?.map((w) => w.limit) ?? null}::int[],
      ${windows?.map((w) => w.seconds) ?? null}::int[], ${holder}, ${reported}, ${wanted}, ${share})`);
  return row!;
}

export async function pruneRateLimits(db: Db): Promise<void> {
  await db.transaction((tx) => tx.query(sql`select prune_rate_limits()`, { timeoutMs: 60_000 }));
}
