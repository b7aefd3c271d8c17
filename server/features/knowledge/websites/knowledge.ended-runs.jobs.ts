/** Removes what a run leaves when it has ended. A kill leaves the rest to the next attempt. */
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import { type JobHandler, JobReleased } from '../../../platform/jobs/jobs.ts';
import { removeLeft } from './knowledge.ended-runs.ts';
import { findRunAtWork } from './knowledge.runs.sql.ts';

export function endedRunHandler({ db, clock }: { db: Db; clock: Clock }): JobHandler {
  return async (job) => {
    const run = await findRunAtWork(db, job.accountId, String(job.payload.runId));
    // With its source, whose own job removes the rest.
    if (!run) return;
    await removeLeft(db, job.accountId, run, clock.now(), async (tx) => {
      if (job.isStopping()) throw new JobReleased('the worker stops');
      await job.keep(tx);
    });
  };
}
