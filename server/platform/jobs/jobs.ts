/**
 * Background work as rows. A job is enqueued inside the caller's transaction; a worker claims it with the lease of its
 * process (leases.ts) and may finish only while it holds it. No NOTIFY: its lock at commit serialises all writers; other
 * processes find the row by their pulse.
 */
import { isServedHere } from '../cells/move/served-here.ts';
import type { Db, Tx } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { isTemporary } from '../http/errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { inSpan, tracedPayload } from '../telemetry/tracing.ts';
import { backoffMs } from './backoff.ts';
import { type Job, type JobHandler, JobPostponed, JobReleased } from './job.ts';
import { describeJobError } from './job-error.ts';
import {
  type ClaimedRow,
  claimJobs,
  finish,
  jobTable,
  keep,
  type Release,
  releaseJob,
  removeUnlessWoken,
} from './jobs.lease.sql.ts';
import { runLeased } from './leases.ts';
import { type Lease, LeaseLost } from './process-row.ts';

export { type Job, type JobHandler, JobPostponed, JobReleased } from './job.ts';
export { completeEachIf, countWakes } from './jobs.lease.sql.ts';
export { LeaseLost } from './process-row.ts';

export interface NewJob {
  accountId: string;
  kind: string;
  payload?: object;
  /** At most one waiting or running job of this kind and key. */
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

const usualPollMs = 250;
const defaultMaxAttempts = 10;
/** Practically endless: the backoff is ten minutes at most. */
export const endlessAttempts = 2_147_483_647;

const jobsWork = 'jobs';

export async function enqueue(tx: Tx, job: NewJob): Promise<void> {
  await tx.query(insertJob(job, sql`(select 1) always`));
  wakeWorkers(tx, job.kind);
}

/** What the jobs are about is gone. `property`: of the payload. */
export async function eraseJobsAbout(
  tx: Tx,
  accountId: string,
  property: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(
    sql`delete from jobs where account_id = ${accountId} and payload ->> ${property} = any(${ids})`,
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

/**
 * For rows that are done in batches when they are due: one that failed becomes a job, which tries it again, and the batches
 * leave it out (`hasJob`). So however many fail, they hold up no other.
 */
export async function retryByJob(
  db: Db,
  job: Required<Pick<NewJob, 'accountId' | 'kind' | 'payload' | 'dedupeKey'>>,
): Promise<void> {
  await db.transaction((tx) => enqueue(tx, { ...job, delayMs: backoffMs(1), maxAttempts: endlessAttempts }));
}

/** An expression: whether a job of this kind and key is there. */
export const hasJob = (accountId: Sql, kind: string, dedupeKey: Sql): Sql => sql`exists (
  select from jobs j where j.account_id = ${accountId} and j.kind = ${kind} and j.dedupe_key = ${dedupeKey}
    and j.dedupe_key is not null and j.failed_at is null)`;

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

export interface Jobs {
  kinds: string[];
  /** Claims nothing more, aborts what can be repeated and waits for the rest. */
  stop(): Promise<void>;
}

export function startJobs(options: JobsOptions): Jobs {
  const { db, logger, handlers, concurrency = 8, pollMs = usualPollMs, onFinished = () => {} } = options;
  const { runsSuspended = false } = options;
  const kinds = Object.keys(handlers);
  const stopped = new AbortController();
  let failedClaims = 0;

  const run = async (row: ClaimedRow, { token, signal: lost }: Lease): Promise<boolean> => {
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
      isStopping: () => stopped.signal.aborted,
      signal: AbortSignal.any([stopped.signal, lost]),
    };
    try {
      if (row.attempts > row.max_attempts) throw new Error('the worker died at every attempt');
      await traced(row, () => handlers[row.kind]!(job));
      if (!completed) await db.transaction((tx) => finish(tx, row, token));
      onFinished(row.kind, 'done');
      return true;
    } catch (error) {
      const outcome = lost.aborted ? 'lost' : outcomeOf(row, error);
      const isReleased = outcome !== 'lost' && (await giveBack(row, token, error, outcome === 'failed'));
      onFinished(row.kind, outcome);
      return isReleased;
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

  /** False: nobody knows. Then it is released before the next claim. */
  const giveBack = async (
    row: ClaimedRow,
    token: string,
    error: unknown,
    isFinal: boolean,
  ): Promise<boolean> => {
    const release = releaseAfter(row, error, isFinal);
    if (release.error !== undefined) {
      const { id: job, kind, attempts: attempt } = row;
      logger[isFinal ? 'error' : 'warn']({ err: error, job, kind, attempt }, 'job failed');
    }
    return db
      .transaction((tx) => releaseJob(tx, row, token, release))
      .then(
        () => true,
        () => false,
      );
  };

  const loop = runLeased<string[], ClaimedRow>(db, {
    table: jobTable,
    own: sql`t.kind = any(${kinds}::text[])`,
    atOnce: concurrency,
    look: { name: 'jobs', value: dueKinds },
    isDue: (due) => due.some((kind) => kind === anyKind || kind in handlers),
    async claim(token, count) {
      const rows = await claimJobs(db, token, { kinds, count, runsSuspended });
      failedClaims = 0;
      return rows;
    },
    work: run,
    onError(error) {
      // A busy moment passes: log a warning only if the next look fails too.
      const isNews = !isTemporary(error) || ++failedClaims > 1;
      if (isNews) logger.warn({ err: error }, 'claiming jobs failed; retrying at the next look');
    },
    lookEveryMs: pollMs,
  });
  const endWakes = db.onWake(jobsWork, (kind) => {
    if (kind === undefined || kind in handlers) loop.wake();
  });

  return {
    kinds,
    async stop() {
      stopped.abort(new JobReleased('the service is stopping'));
      endWakes();
      await loop.stop();
    },
  };
}

function outcomeOf({ attempts, max_attempts }: ClaimedRow, error: unknown): 'retry' | 'failed' | 'lost' {
  if (error instanceof LeaseLost) return 'lost';
  const isFailure = !(error instanceof JobReleased || error instanceof JobPostponed);
  return isFailure && attempts >= max_attempts ? 'failed' : 'retry';
}

function releaseAfter({ attempts }: ClaimedRow, error: unknown, isFinal: boolean): Release {
  if (error instanceof JobReleased) return { delayMs: 0, isCounted: false };
  if (error instanceof JobPostponed) return { delayMs: error.delayMs, isCounted: error.isCounted };
  return { delayMs: backoffMs(attempts), isCounted: true, error: describeJobError(error), isFinal };
}
