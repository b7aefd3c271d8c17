/**
 * Background work as rows. A job is enqueued inside the caller's transaction; a worker claims it with a lease and a
 * token, renews the lease while it runs, and may finish only while it holds the token. A dead worker is noticed when its
 * lease ends. No NOTIFY: its lock at commit serialises all writers; other processes find the row by polling.
 */
import { randomUUID } from 'node:crypto';
import { isServedHere } from '../cells/move/served-here.ts';
import type { Db, Tx } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { isTemporary } from '../http/errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { inSpan, tracedPayload } from '../telemetry/tracing.ts';
import { watchWork } from './due-work.ts';
import { type Job, type JobHandler, JobPostponed, JobReleased } from './job.ts';
import { describeJobError } from './job-error.ts';
import {
  type ClaimedRow,
  finish,
  keep,
  LeaseLost,
  leaseMs,
  postponeJob,
  releaseJob,
  remove,
  removeUnlessWoken,
  renew,
} from './jobs.lease.sql.ts';
import { isActive } from './suspended.ts';

export { type Job, type JobHandler, JobPostponed, JobReleased } from './job.ts';
export { completeEachIf, countWakes, LeaseLost } from './jobs.lease.sql.ts';

export interface NewJob {
  accountId: string;
  kind: string;
  payload?: object;
  /** At most one waiting job of this kind and key. */
  dedupeKey?: string;
  delayMs?: number;
  maxAttempts?: number;
}

export interface JobsOptions {
  db: Db;
  logger: Logger;
  handlers: Record<string, JobHandler>;
  concurrency?: number;
  /** Also jobs of suspended accounts. */
  runsSuspended?: boolean;
  /** The least time between two searches for jobs of other processes, or delayed ones: one of this process is found at once. */
  pollMs?: number;
  onFinished?: (kind: string, outcome: 'done' | 'retry' | 'failed' | 'lost') => void;
}

/** Work that belongs to the whole service. */
export const instanceAccountId = '00000000-0000-0000-0000-000000000000';

const renewMs = 1_000;
const usualPollMs = 250;
const defaultMaxAttempts = 10;
/** Practically endless: the backoff is ten minutes at most. */
export const endlessAttempts = 2_147_483_647;
const firstBackoffMs = 1_000;
const longestBackoffMs = 600_000;

const jobsWork = 'jobs';

export async function enqueue(tx: Tx, job: NewJob): Promise<void> {
  await tx.query(insertJob(job, sql`(select 1) always`));
  wakeWorkers(tx, job.kind);
}

/** The conversations are gone: nothing is left to do for them. */
export async function eraseJobsOf(tx: Tx, accountId: string, sessionIds: readonly string[]): Promise<void> {
  await tx.query(
    sql`delete from jobs where account_id = ${accountId} and payload ->> 'sessionId' = any(${sessionIds})`,
    { timeoutMs: 60_000 },
  );
}

/** Part of a larger statement: enqueued only if `source` has a row. The caller wakes the workers. */
export function insertJob(job: NewJob, source: Sql): Sql {
  return sql`
    insert into jobs (account_id, id, kind, payload, dedupe_key, run_at, max_attempts)
    select ${job.accountId}::uuid, ${newId()}::uuid, ${job.kind}::text, ${JSON.stringify(tracedPayload(job.payload ?? {}))}::jsonb,
      ${job.dedupeKey ?? null}::text, now() + make_interval(secs => ${(job.delayMs ?? 0) / 1000}::float8),
      ${job.maxAttempts ?? defaultMaxAttempts}::int where exists (select from ${source})
    on conflict (account_id, kind, dedupe_key) where dedupe_key is not null and failed_at is null do nothing`;
}

/** One job for each of `rows` (id, payload, dedupe_key, delay_s); part of a larger statement, like insertJob. */
export function insertJobsOf(accountId: string, kind: string, rows: Sql): Sql {
  return sql`
    insert into jobs (account_id, id, kind, payload, dedupe_key, run_at, max_attempts)
    select ${accountId}::uuid, id, ${kind}::text, payload, dedupe_key, now() + make_interval(secs => delay_s),
      ${defaultMaxAttempts}::int from ${rows}
    on conflict (account_id, kind, dedupe_key) where dedupe_key is not null and failed_at is null do nothing`;
}

/** What the job waited for has arrived. A running one is left alone: it checks again before it ends. */
export async function expediteJob(
  tx: Tx,
  job: Required<Pick<NewJob, 'accountId' | 'kind' | 'dedupeKey' | 'delayMs'>>,
): Promise<void> {
  await tx.query(sql`
    update jobs set run_at = least(run_at, now() + make_interval(secs => ${job.delayMs / 1000}::float8))
    where account_id = ${job.accountId} and kind = ${job.kind} and dedupe_key = ${job.dedupeKey}
      and failed_at is null and lease_token is null`);
  wakeWorkers(tx, job.kind);
}

/**
 * Makes one job for each key, or wakes the existing one: its payload counts the wake-ups. A job ends with
 * `completeUnlessWoken`, so that nothing that was committed after it looked for work is missed. Keys are
 * woken in order: transactions that wake several jobs never wait for each other in a circle.
 */
export async function wakeJobs(
  tx: Tx,
  { accountId, kind, payloads }: { accountId: string; kind: string; payloads: ReadonlyMap<string, object> },
): Promise<void> {
  const keys = [...payloads.keys()].sort();
  await tx.query(sql`
    insert into jobs as j (account_id, id, kind, payload, dedupe_key, max_attempts)
    select ${accountId}::uuid, k.id, ${kind}::text, k.payload::jsonb || '{"wakes":0}', k.key, ${endlessAttempts}::int
    from unnest(${keys.map(() => newId())}::uuid[], ${keys.map((key) => JSON.stringify(payloads.get(key)))}::text[],
      ${keys}::text[]) as k (id, payload, key)
    on conflict (account_id, kind, dedupe_key) where dedupe_key is not null and failed_at is null
    do update set payload = j.payload || jsonb_build_object('wakes', (j.payload ->> 'wakes')::bigint + 1)`);
  wakeWorkers(tx, kind);
}

/** What they waited for has arrived. `payload` is a part of theirs. */
export async function expediteJobs(
  tx: Tx,
  { accountId, kind, payload }: { accountId: string; kind: string; payload: object },
): Promise<void> {
  await tx.query(sql`
    update jobs set run_at = least(run_at, now())
    where account_id = ${accountId} and kind = ${kind} and payload @> ${JSON.stringify(payload)}::jsonb
      and failed_at is null and lease_token is null`);
  wakeWorkers(tx, kind);
}

/** Removes a waiting job. A running one is left alone: it checks under its own lock whether it still applies. */
export async function cancelJob(
  tx: Tx,
  job: Required<Pick<NewJob, 'accountId' | 'kind' | 'dedupeKey'>>,
): Promise<void> {
  await tx.query(sql`
    delete from jobs where account_id = ${job.accountId} and kind = ${job.kind} and dedupe_key = ${job.dedupeKey}
      and lease_token is null`);
}

/** After the commit, those of this database. Without a kind: all of them. The others would find nothing. */
export function wakeWorkers(by: Pick<Tx, 'wake'>, kind?: string): void {
  by.wake(jobsWork, kind);
}

/** More than are looked at are due: any kind may be among them. */
const anyKind = '*';
const lookedAtMost = 200;

/** The kinds of the jobs that are due. */
const dueKinds = sql`(
  select case when count(*) < ${lookedAtMost} then coalesce(array_agg(distinct kind), '{}') else array[${anyKind}::text] end
  from (select kind from jobs where failed_at is null and run_at <= now() and ${isServedHere(sql`jobs.account_id`)}
    order by run_at limit ${lookedAtMost}) as first)`;

export function startJobs(options: JobsOptions) {
  const { db, logger, handlers, concurrency = 8, pollMs = usualPollMs, onFinished = () => {} } = options;
  const kinds = Object.keys(handlers);
  const running = new Set<Promise<void>>();
  const stopReason = () => new JobReleased('the service is stopping');
  let stopping = false;
  let claiming: Promise<void> | null = null;
  let again = false;
  /** The last claim took as many as it could: the end of one makes room for the next. */
  let isFull = false;

  const claim = (token: string, count: number) =>
    db.autocommit<ClaimedRow>(sql`
      with due as (
        select account_id, id from jobs
        where failed_at is null and run_at <= now() and kind = any(${kinds}::text[]) and ${isServedHere(sql`jobs.account_id`)}
          and ${options.runsSuspended ? sql`true` : isActive(sql`account_id`)}
        order by run_at limit ${count} for update skip locked)
      update jobs j set attempts = j.attempts + 1, lease_token = ${token},
        lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8),
        run_at = now() + make_interval(secs => ${leaseMs / 1000}::float8)
      from due where j.account_id = due.account_id and j.id = due.id
      returning j.account_id, j.id, j.kind, j.payload, j.attempts, j.max_attempts`);

  const tick = () => {
    if (claiming) again = true;
    else {
      claiming = claimAndRun().finally(() => {
        claiming = null;
        // Enqueued after the last poll: must not wait for the next.
        if (again) tick();
      });
    }
  };

  let failedClaims = 0;
  const claimAndRun = async () => {
    try {
      do {
        again = false;
        const free = concurrency - running.size;
        isFull = free <= 0;
        if (stopping || isFull) break;
        const token = randomUUID();
        const rows = await claim(token, free);
        for (const row of rows) {
          const work = run(row, token).finally(() => {
            running.delete(work);
            // When all that end in this turn have made room.
            if (isFull) setImmediate(tick);
          });
          running.add(work);
        }
        isFull = rows.length === free;
        if (isFull) again = true;
      } while (again);
      failedClaims = 0;
    } catch (error) {
      // A busy moment passes: log a warning only if the next look fails too.
      const isNews = !isTemporary(error) || ++failedClaims > 1;
      if (isNews) logger.warn({ err: error }, 'claiming jobs failed; retrying at the next look');
    }
  };

  /** Of running jobs. */
  const aborts = new Set<AbortController>();

  /** Renews the lease until `end`, and aborts the job when it is lost: another worker may do the same by now. */
  const holdLease = (row: ClaimedRow, token: string) => {
    const abort = new AbortController();
    aborts.add(abort);
    if (stopping) abort.abort(stopReason());
    let heldAt = performance.now();
    let misses = 0;
    const check = async () => {
      const isHeld = await renew(db, row, token).catch(() => null);
      if (isHeld) heldAt = performance.now();
      // Once may be the handler's own commit, which it has not heard of yet.
      misses = isHeld === false ? misses + 1 : 0;
      if (misses >= 2 || performance.now() - heldAt > leaseMs)
        abort.abort(new LeaseLost(`job ${row.id} was taken over by another worker`));
    };
    const renewal = setInterval(() => void check(), renewMs);
    return {
      signal: abort.signal,
      end() {
        clearInterval(renewal);
        aborts.delete(abort);
      },
    };
  };

  const run = async (row: ClaimedRow, token: string) => {
    const lease = holdLease(row, token);
    let completed = false;
    // Only the commit ends the job: if the transaction fails after this, the job is released.
    const endsWith = (tx: Tx) =>
      tx.afterCommit(() => {
        completed = true;
      });
    const job: Job = {
      accountId: row.account_id,
      id: row.id,
      kind: row.kind,
      payload: row.payload,
      get attempt() {
        return row.attempts;
      },
      complete: async (tx) => {
        await finish(tx, row, token);
        endsWith(tx);
      },
      completeIf: async (tx, condition) => {
        const ended = await remove(tx, row, token, condition);
        if (ended) endsWith(tx);
        return ended;
      },
      wakes: Number(row.payload.wakes ?? 0),
      completeUnlessWoken: async (wakes) => {
        completed = await removeUnlessWoken(db, { row, token, wakes });
        return completed;
      },
      lease: { token, endsWith },
      keep: async (tx, isProgress = true) => {
        const attempts = isProgress ? 1 : row.attempts;
        await keep(tx, row, token, attempts);
        tx.afterCommit(() => {
          row.attempts = attempts;
        });
      },
      isStopping: () => stopping,
      signal: lease.signal,
    };
    try {
      if (row.attempts > row.max_attempts) throw new Error('the worker died at every attempt');
      await traced(row, () => handlers[row.kind]!(job));
      if (!completed) await db.transaction((tx) => finish(tx, row, token));
      onFinished(row.kind, 'done');
    } catch (error) {
      const { reason } = lease.signal;
      onFinished(row.kind, await giveBack(row, token, reason instanceof LeaseLost ? reason : error));
    } finally {
      lease.end();
    }
  };

  /** In the trace of the request that enqueued it. */
  const traced = ({ kind, id, account_id, attempts, payload }: ClaimedRow, work: () => Promise<void>) =>
    inSpan(
      {
        name: `job ${kind}`,
        kind: 'consumer',
        attributes: {
          'talkboard.job.kind': kind,
          'talkboard.job.id': id,
          'talkboard.job.attempt': attempts,
          'talkboard.account.id': account_id,
        },
        parent: typeof payload.traceparent === 'string' ? payload.traceparent : null,
      },
      work,
    );

  const giveBack = async (row: ClaimedRow, token: string, error: unknown) => {
    if (error instanceof LeaseLost) return 'lost' as const;
    if (error instanceof JobReleased) {
      await db.transaction((tx) => releaseJob(tx, row, token)).catch(() => {}); // the lease expires anyway
      return 'retry' as const;
    }
    if (error instanceof JobPostponed) {
      await db.transaction((tx) => postponeJob(tx, row, token, error.delayMs)).catch(() => {}); // as above
      return 'retry' as const;
    }
    const last = row.attempts >= row.max_attempts;
    logger[last ? 'error' : 'warn'](
      { err: error, job: row.id, kind: row.kind, attempt: row.attempts },
      'job failed',
    );
    const delayMs =
      Math.min(firstBackoffMs * 2 ** (row.attempts - 1), longestBackoffMs) * (1 + Math.random() * 0.2);
    await db
      .transaction((tx) =>
        tx.query(sql`
          update jobs set lease_token = null, lease_until = null, last_error = ${describeJobError(error)},
            run_at = now() + make_interval(secs => ${delayMs / 1000}::float8),
            failed_at = case when ${last} then now() end
          where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token}`),
      )
      .catch(() => {}); // the lease expires anyway
    return last ? ('failed' as const) : ('retry' as const);
  };

  const forget = watchWork<string[]>(db, {
    look: { name: 'jobs', value: dueKinds },
    isDue: (due) => due.some((kind) => kind === anyKind || kind in handlers),
    wake: tick,
    everyMs: pollMs,
  });
  const endWakes = db.onWake(jobsWork, (kind) => {
    if (kind === undefined || kind in handlers) tick();
  });
  tick();

  return {
    kinds,
    /** Claims nothing more, aborts what can be repeated and waits for the rest. */
    async stop() {
      stopping = true;
      for (const abort of aborts) abort.abort(stopReason());
      endWakes();
      await forget();
      // A claim in flight may still return work.
      await claiming;
      await Promise.allSettled([...running]);
    },
  };
}
