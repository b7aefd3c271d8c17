/** The windows: the database's function against a brute-force oracle, and several processes with leases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../test/support/eventually.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import type { Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { createRateLimits, pruneRateLimits, type RateLimits, type RateWindow } from './rate-limit.ts';

interface Step {
  /** Seconds since the previous step. */
  gap: number;
  reported: number;
  wanted: number;
}

interface Permits {
  granted: number;
  limit_of: number;
  remaining: number;
  resetIn: number;
  retryIn: number;
}

/** Every request as a time in a list; nothing is summed or dropped. */
class Oracle {
  readonly #windows: RateWindow[];
  #requests: number[] = [];

  constructor(windows: RateWindow[]) {
    this.#windows = windows;
  }

  take(now: number, { reported, wanted }: Step): Permits {
    const inside = (window: RateWindow, at = now) => this.#requests.filter((t) => at - t < window.seconds);
    const oldest = this.#windows.map((window) => Math.min(now, ...inside(window)));
    for (let i = 0; i < reported; i++) this.#requests.push(now);
    let granted = 0;
    while (granted < wanted && this.#windows.every((window) => inside(window).length < window.limit)) {
      this.#requests.push(now);
      granted++;
    }
    const left = this.#windows.map((window) => window.limit - inside(window).length);
    const tightest = left.indexOf(Math.min(...left));
    let retryIn = 0;
    while (this.#windows.some((window) => inside(window, now + retryIn).length >= window.limit)) retryIn++;
    return {
      granted,
      limit_of: this.#windows[tightest]!.limit,
      remaining: Math.max(0, left[tightest]!),
      resetIn: oldest[tightest]! + this.#windows[tightest]!.seconds - now,
      retryIn,
    };
  }
}

describe('rate limit windows', () => {
  let service: TestService;
  let db: Db;
  before(async () => {
    service = await joinTestService();
    db = service.context.db;
  });
  after(() => service.close());

  /** Time passes by shifting the past; through negative values, so that no two rows collide. */
  const letPass = async (bucket: string, seconds: number) => {
    await db.query(sql`update rate_limit_hits set at = -at where bucket = ${bucket}`);
    await db.query(sql`update rate_limit_hits set at = -at - ${seconds * 1000} where bucket = ${bucket}`);
  };

  const take = async (bucket: string, windows: RateWindow[], step: Step): Promise<Permits> => {
    const [row] = await db.query<Permits & { reset_at: number; retry_after_ms: number; now: number }>(sql`
      select granted, limit_of, remaining, reset_at, retry_after_ms,
        (extract(epoch from clock_timestamp()) * 1000)::bigint as now
      from take_permits(${service.admin.accountId}, ${bucket}, ${windows.map((w) => w.limit)}::int[],
        ${windows.map((w) => w.seconds)}::int[], ${newId()}, ${step.reported}, ${step.wanted}, 0)`);
    const { granted, limit_of, remaining, reset_at, retry_after_ms, now } = row!;
    return {
      granted,
      limit_of,
      remaining,
      resetIn: Math.ceil((reset_at - now) / 1000),
      retryIn: Math.ceil(retry_after_ms / 1000),
    };
  };

  it('grants, headers and waiting times are those of a list of all requests', async () => {
    const windows = fc.constantFrom<RateWindow[]>(
      [{ limit: 3, seconds: 4 }],
      [
        { limit: 4, seconds: 3 },
        { limit: 9, seconds: 12 },
      ],
      [
        { limit: 1, seconds: 1 },
        { limit: 5, seconds: 7 },
      ],
    );
    const steps = fc.array(
      fc.record({ gap: fc.nat(6), reported: fc.nat({ max: 1 }), wanted: fc.nat({ max: 5 }) }),
      { minLength: 1, maxLength: 14 },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(windows, steps, async (limits, all) => {
        const bucket = `property-${++run}`;
        const oracle = new Oracle(limits);
        const began = performance.now();
        let now = 0;
        for (const [index, step] of all.entries()) {
          now += step.gap;
          if (step.gap > 0) await letPass(bucket, step.gap);
          const found = await take(bucket, limits, step);
          // Times are whole seconds of the model plus the duration of the run: it must stay below one.
          fc.pre(performance.now() - began < 900);
          assert.deepEqual(found, oracle.take(now, step), `step ${index + 1}`);
        }
      }),
      { numRuns: runsOf(150), seed },
    );
  });

  it('a clock that is set back lets nobody pass', async () => {
    const windows = [{ limit: 5, seconds: 60 }];
    assert.equal((await take('clock', windows, { gap: 0, reported: 0, wanted: 4 })).granted, 4);
    await letPass('clock', -30);
    assert.equal((await take('clock', windows, { gap: 0, reported: 0, wanted: 4 })).granted, 1);
    assert.equal((await take('clock', windows, { gap: 0, reported: 0, wanted: 4 })).granted, 0);
  });

  it('housekeeping keeps the count of a request that comes at the same moment', async () => {
    const { accountId } = service.admin;
    await db.query(
      sql`insert into rate_limit_counters (account_id, bucket, total) values (${accountId}, 'pruned', 500)`,
    );
    const request = await db.connect();
    await request.query('begin');
    await request.query(`select take_permits($1, 'pruned', '{5}', '{60}', $2, 0, 3, 0)`, [
      accountId,
      newId(),
    ]);
    const pruned = pruneRateLimits(db);
    await eventually(async () => {
      const rows = await db.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%prune_rate_limits%'`);
      return rows.length > 0;
    });
    await request.query('commit');
    request.release();
    await pruned;
    const windows = [{ limit: 5, seconds: 60 }];
    assert.equal((await take('pruned', windows, { gap: 0, reported: 0, wanted: 5 })).granted, 2);
  });

  describe('with several processes and leases', () => {
    const limit = 12_000;
    const bucket = 'crm';
    const processes: RateLimits[] = [];
    const newProcess = () => {
      const limits = createRateLimits(db);
      processes.push(limits);
      return limits;
    };
    const admitted = async (limits: RateLimits, accountId: string, times: number) => {
      const verdicts = await Promise.all(
        Array.from({ length: times }, () => limits.admit(accountId, bucket, null)),
      );
      return verdicts.filter((verdict) => verdict.admitted).length;
    };
    const accountWith = async (perMinute: number) => {
      const { accountId } = await service.createAccount();
      await db.query(sql`update accounts set crm_per_minute = ${perMinute} where id = ${accountId}`);
      return accountId;
    };
    after(() => Promise.all(processes.map((limits) => limits.close())));

    it('what one process may still admit by itself is not granted to another', async () => {
      const accountId = await accountWith(limit);
      const process = newProcess();
      const began = await admitted(process, accountId, 1);
      const [others, own] = await Promise.all([
        db.query<{ granted: number }>(
          sql`select granted from take_permits(${accountId}, ${bucket}, null, null, ${newId()}, 0, ${limit}, 0)`,
        ),
        admitted(process, accountId, 180),
      ]);
      const total = began + own + others[0]!.granted;
      assert.ok(total <= limit, `${total} of ${limit}`);
      assert.ok(total > limit * 0.9, `${total} of ${limit}`);
    });

    it('four processes in bursts admit the limit, not one more, not one less', async () => {
      const accountId = await accountWith(limit);
      const four = [newProcess(), newProcess(), newProcess(), newProcess()];
      const bursts = async (limits: RateLimits, size: number) => {
        let count = 0;
        for (let round = 0; round < 60; round++) count += await admitted(limits, accountId, size);
        return count;
      };
      const counts = await Promise.all(four.map((limits, index) => bursts(limits, 30 + 20 * index)));
      let total = counts.reduce((sum, count) => sum + count);
      assert.ok(total <= limit, `${total} of ${limit}`);
      for (const limits of four) await limits.close();
      total += await admitted(newProcess(), accountId, limit);
      assert.equal(total, limit);
    });

    it('a process that died has used its lease up', async () => {
      const accountId = await accountWith(limit);
      await db.query(sql`
        insert into rate_limit_leases (account_id, bucket, holder, permits, until)
        values (${accountId}, ${bucket}, ${newId()}, 100, 1)`);
      const alive = newProcess();
      assert.equal(await admitted(alive, accountId, limit), limit - 100);
      assert.equal(await admitted(alive, accountId, 1), 0);
    });

    it('a lowered limit holds at the next request of the process that changed it', async () => {
      const accountId = await accountWith(1_000_000);
      const limits = newProcess();
      await admitted(limits, accountId, 10);
      await db.query(sql`update accounts set crm_per_minute = 10 where id = ${accountId}`);
      limits.changed(accountId);
      const verdict = await limits.admit(accountId, bucket, null);
      assert.deepEqual([verdict.admitted, verdict.limit, verdict.remaining], [false, 10, 0]);
    });

    it('nor does a lease admit anything that was asked for before the change and came after it', async () => {
      const accountId = await accountWith(1_000_000);
      const change = Promise.withResolvers<void>();
      const answersLate = {
        query: async (...args: Parameters<Db['query']>) => {
          const rows = await db.query(...args);
          await change.promise;
          return rows;
        },
      } as Db;
      const limits = createRateLimits(answersLate);
      processes.push(limits);
      const first = limits.admit(accountId, bucket, null);
      await eventually(async () => {
        const leases = await db.query(sql`select 1 from rate_limit_leases where account_id = ${accountId}`);
        return leases.length > 0;
      });
      await db.query(sql`update accounts set crm_per_minute = 1 where id = ${accountId}`);
      limits.changed(accountId);
      change.resolve();
      assert.equal((await first).admitted, true);
      assert.equal((await limits.admit(accountId, bucket, null)).admitted, false);
    });
  });
});
