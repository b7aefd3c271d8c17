/**
 * Reminds of tasks. The job was written with the task; the notification and the jobs that push it commit together with
 * the end of the job. So there is one notification, whichever worker dies when.
 */
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { JobHandler } from '../../../platform/jobs/jobs.ts';
import { lockTaskToRemind } from '../../tasks/tasks.ts';
import { reminderOf } from './realtime.card-news.ts';
import { createBoards, insertNews } from './realtime.news.ts';

export function reminderHandler({ db, clock }: { db: Db; clock: Clock }): JobHandler {
  const boards = createBoards();
  return (job) =>
    db.transaction(async (tx) => {
      const { accountId } = job;
      const now = clock.now();
      const task = await lockTaskToRemind(tx, accountId, job.payload as { taskId: string; remindAt: number });
      const news = task && (await reminderOf(tx, boards, accountId, task, now));
      if (news && news.to.length > 0) await insertNews(tx, accountId, news, now);
      await job.complete(tx);
    });
}
