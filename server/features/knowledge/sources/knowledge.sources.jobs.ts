/** Deletes what a removed source has left. A kill leaves the rest to the next attempt. */
import type { Db, Tx } from '../../../platform/db/db.ts';
import { type JobHandler, JobReleased } from '../../../platform/jobs/jobs.ts';
import { deleteLeftDocuments } from '../documents/knowledge.documents.ts';
import { deleteRun, findOldestRun } from '../websites/knowledge.runs.sql.ts';

/** Each may have dozens of versions, and changes of knowledge wait for a part. */
const documentsAtATime = 50;

export function sourceRemovalHandler({ db }: { db: Db }): JobHandler {
  return async (job) => {
    const { accountId } = job;
    const sourceId = String(job.payload.sourceId);
    for (let isLeft = true; isLeft; ) {
      if (job.isStopping()) throw new JobReleased('the worker stops');
      isLeft = await db.transaction(async (tx) => {
        const isMore =
          (await deleteLeftDocuments(tx, accountId, sourceId, documentsAtATime)) ||
          (await deleteOldestRun(tx, accountId, sourceId));
        if (isMore) await job.keep(tx);
        else await job.complete(tx);
        return isMore;
      });
    }
  };
}

/** With the documents that it had prepared. */
async function deleteOldestRun(tx: Tx, accountId: string, sourceId: string): Promise<boolean> {
  const runId = await findOldestRun(tx, accountId, sourceId);
  if (runId === null) return false;
  if (!(await deleteLeftDocuments(tx, accountId, runId, documentsAtATime))) {
    await deleteRun(tx, accountId, runId);
  }
  return true;
}
