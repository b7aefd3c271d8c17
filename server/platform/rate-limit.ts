/**
 * Exact sliding windows, shared by all processes through one function in the database (migration 0002). A
 * request asks the database before it runs, together with all that wait at that moment. Only where the limit
 * is very high does a process admit a bounded number by itself and report them within `reportMs`: each process
 * may hold back a 1/64 of what is left, so up to 64 of them together never pass the limit.
 */
import type { Db } from './db.ts';
import { sql } from './sql.ts';

export interface RateWindow {
  limit: number;
  seconds: number;
}

export interface RateVerdict {
  admitted: boolean;
  /** Of the tighter window. */
  limit: number;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
}

export interface RateLimits {
  /** `windows` null: the account's own limits of that bucket, read at every call so that a change holds at once. */
  admit(accountId: string, bucket: string, windows: RateWindow[] | null): Promise<RateVerdict>;
  /** Counts and admits without waiting where that is known to be safe; null: ask `admit`. */
  admitAtOnce(accountId: string, bucket: string): RateVerdict | null;
  close(): Promise<void>;
}

const slackFromLimit = 10_000;
const slackShare = 64;
const reportMs = 50;
/** Without news from the database for so long, nobody is admitted without asking: it may have a new limit. */
const staleMs = 250;

interface Counter {
  slack: number;
  unreported: number;
  syncedAt: number;
  busy: boolean;
  waiting: { resolve: (verdict: RateVerdict) => void; reject: (error: unknown) => void }[];
  last: PermitRow | null;
}

interface PermitRow {
  granted: number;
  limit_of: number;
  remaining: number;
  reset_at: number;
  retry_after_ms: number;
}

export function createRateLimits(db: Db): RateLimits {
  const counters = new Map<string, Counter>();

  const sync = async (
    key: string,
    counter: Counter,
    accountId: string,
    bucket: string,
    windows: RateWindow[] | null,
  ) => {
    counter.busy = true;
    while (counter.waiting.length > 0 || counter.unreported > 0) {
      const batch = counter.waiting.splice(0);
      const reported = counter.unreported;
      try {
        const row = await takePermits(db, accountId, bucket, windows, reported, batch.length);
        counter.unreported -= reported;
        counter.last = row;
        counter.syncedAt = performance.now();
        counter.slack = row.limit_of > slackFromLimit ? Math.floor(row.remaining / slackShare) : 0;
        for (const [index, waiter] of batch.entries()) {
          waiter.resolve(verdictOf(row, index < row.granted, Math.max(0, row.granted - 1 - index)));
        }
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
        if (batch.length === 0) break;
      }
    }
    counter.busy = false;
    if (counter.slack === 0) counters.delete(key);
  };

  const report = setInterval(() => {
    for (const [key, counter] of counters) {
      if (counter.busy) continue;
      if (counter.unreported === 0) counters.delete(key);
      else {
        const [accountId, bucket] = key.split('|') as [string, string];
        void sync(key, counter, accountId, bucket, null);
      }
    }
  }, reportMs);
  report.unref();

  const admitAtOnce = (accountId: string, bucket: string): RateVerdict | null => {
    const counter = counters.get(`${accountId}|${bucket}`);
    if (!counter?.last || counter.unreported >= counter.slack) return null;
    if (performance.now() - counter.syncedAt >= staleMs) return null;
    counter.unreported++;
    return verdictOf(counter.last, true, -counter.unreported);
  };

  return {
    admitAtOnce,
    async admit(accountId, bucket, windows) {
      const admitted = admitAtOnce(accountId, bucket);
      if (admitted) return admitted;
      const key = `${accountId}|${bucket}`;
      let counter = counters.get(key);
      if (!counter) {
        counter = { slack: 0, unreported: 0, syncedAt: 0, busy: false, waiting: [], last: null };
        counters.set(key, counter);
      }
      const current = counter;
      return new Promise((resolve, reject) => {
        current.waiting.push({ resolve, reject });
        if (!current.busy) void sync(key, current, accountId, bucket, windows);
      });
    },
    async close() {
      clearInterval(report);
    },
  };
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
  accountId: string,
  bucket: string,
  windows: RateWindow[] | null,
  reported: number,
  wanted: number,
): Promise<PermitRow> {
  const [row] = await db.query<PermitRow>(sql`
    select granted, limit_of, remaining, reset_at, retry_after_ms
    from take_permits(${accountId}, ${bucket}, ${windows?.map((w) => w.limit) ?? null}::int[],
      ${windows?.map((w) => w.seconds) ?? null}::int[], ${reported}, ${wanted})`);
  return row!;
}

export async function pruneRateLimits(db: Db): Promise<void> {
  await db.transaction((tx) => tx.query(sql`select prune_rate_limits()`, { timeoutMs: 60_000 }));
}
