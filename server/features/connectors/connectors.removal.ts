/** Deletes what is left of a removed connector, in batches: there may be millions of items. */
import type { Db, Tx } from '../../platform/db/db.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue, type JobHandler, JobReleased } from '../../platform/jobs/jobs.ts';
import { deleteLeftovers } from './inbound/connectors.inbound.sql.ts';

export const removalJobKind = jobKind('connector-removal');
const atOnce = 2_000;

export function enqueueRemoval(tx: Tx, accountId: string, channelId: string): Promise<void> {
  return enqueue(tx, {
    accountId,
    kind: removalJobKind,
    payload: { channelId },
    maxAttempts: endlessAttempts,
  });
}

export function removalHandler({ db }: { db: Db }): JobHandler {
  return async (job) => {
    const { channelId } = job.payload as { channelId: string };
    for (let deleted = 1; deleted > 0; ) {
      if (job.isStopping()) throw new JobReleased('the service is stopping');
      deleted = await db.transaction(async (tx) => {
        await job.keep(tx);
        return deleteLeftovers(tx, job.accountId, channelId, atOnce);
      });
    }
  };
}
