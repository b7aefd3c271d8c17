/**
 * One job that removes expired data, step by step, every few minutes. A failed step is reported and does not stop the
 * others. The job never fails for good: it enqueues its own next run, so a failed one would be the last.
 */
import type { Db, Reader, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { isTemporary } from '../http/errors.ts';
import type { Logger } from '../logger.ts';
import { reasonOf } from '../start/start-error.ts';
import { asHousekeeping } from '../telemetry/slow-statements.ts';
import { describeJobError } from './job-error.ts';
import { jobKind } from './job-kinds.ts';
import { endlessAttempts, enqueue, instanceAccountId, type JobHandler } from './jobs.ts';

export const housekeepingJobKind = jobKind('housekeeping');

export interface HousekeepingStep {
  step: string;
  run(): Promise<unknown>;
}

export interface StepReport {
  step: string;
  /** Unix epoch milliseconds; null: it has not succeeded yet. */
  lastSuccessAt: number | null;
}

const everyMs = 5 * 60_000;

export function housekeepingHandler(deps: {
  db: Db;
  logger: Logger;
  steps: readonly HousekeepingStep[];
}): JobHandler {
  const { db, logger, steps } = deps;
  return async (job) => {
    for (const { step, run } of steps) {
      try {
        await asHousekeeping(run);
        await saveOutcome(db, step, null);
      } catch (error) {
        if (isTemporary(error)) {
          logger.warn({ step, reason: reasonOf(error) }, 'a step of housekeeping must wait for its next run');
        } else logger.error({ err: error, step }, 'a step of housekeeping failed; the others go on');
        await saveOutcome(db, step, describeJobError(error)).catch(() => {});
      }
    }
    await db.transaction(async (tx) => {
      await job.complete(tx);
      await enqueueHousekeeping(tx, everyMs);
    });
  };
}

/** At every start of a worker: registers the steps, and revives a job that an earlier release gave up. */
export async function startHousekeeping(db: Db, steps: readonly HousekeepingStep[]): Promise<void> {
  const names = steps.map(({ step }) => step);
  await db.transaction(async (tx) => {
    await tx.query(sql`
      insert into housekeeping_steps (step) select unnest(${names}::text[]) on conflict (step) do nothing`);
    await tx.query(sql`delete from housekeeping_steps where step <> all(${names}::text[])`);
    await tx.query(sql`delete from jobs where kind = ${housekeepingJobKind} and failed_at is not null`);
    await enqueueHousekeeping(tx, 0);
    await tx.query(sql`
      update jobs set max_attempts = ${endlessAttempts} where kind = ${housekeepingJobKind}`);
  });
}

export async function listSteps(db: Reader, timeoutMs: number): Promise<StepReport[]> {
  return db.query<StepReport>(
    sql`
      select step, (extract(epoch from last_success_at) * 1000)::bigint as "lastSuccessAt"
      from housekeeping_steps order by step`,
    { timeoutMs },
  );
}

async function saveOutcome(db: Db, step: string, error: string | null): Promise<void> {
  await db.transaction((tx) =>
    tx.query(
      error === null
        ? sql`
            insert into housekeeping_steps (step, last_success_at) values (${step}, now())
            on conflict (step) do update set last_success_at = now(), last_error = null, last_error_at = null`
        : sql`
            insert into housekeeping_steps (step, last_error, last_error_at)
            values (${step}, ${error.slice(0, 2_000)}, now())
            on conflict (step) do update set last_error = excluded.last_error, last_error_at = now()`,
    ),
  );
}

function enqueueHousekeeping(tx: Tx, delayMs: number): Promise<void> {
  return enqueue(tx, {
    accountId: instanceAccountId,
    kind: housekeepingJobKind,
    dedupeKey: 'one',
    delayMs,
    maxAttempts: endlessAttempts,
  });
}
