/** Takes a deleted label off the conversations and cards that had it. */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { type JobHandler, JobReleased } from '../../platform/jobs/jobs.ts';
import type { Actor } from '../accounts/accounts.ts';

export const deletedLabelJobKind = jobKind('deleted_label');
/** A failing job is retried for days: until it is done, responses contain the id of a label that is gone. */
export const removalAttempts = 1_000;

export interface DeletedLabel {
  labelId: string;
  deletedBy: { type: Actor['kind']; id: string; name: string };
}

/** What has labels: conversations and cards, which are below labels in the order of features. */
export interface Labelled {
  /** Not further than `max`. */
  count(db: Reader, accountId: string, labelId: string, max: number): Promise<number>;
  /** Takes the label off some of them, with their history and events. Whether there may be more. */
  removeLabel(tx: Tx, accountId: string, now: number, deleted: DeletedLabel): Promise<boolean>;
}

interface Deps {
  db: Db;
  clock: Clock;
  labelled: { sessions: Labelled; records: Labelled };
}

/** Each batch is a transaction of its own: locks are short, and the rest is found again after a crash. */
export function deletedLabelHandler({ db, clock, labelled }: Deps): JobHandler {
  return async (job) => {
    const deleted = job.payload as unknown as DeletedLabel;
    for (const items of [labelled.sessions, labelled.records]) {
      for (let more = true; more; ) {
        if (job.isStopping()) throw new JobReleased('the service is stopping');
        more = await db.transaction(async (tx) => {
          await job.keep(tx);
          return items.removeLabel(tx, job.accountId, clock.now(), deleted);
        });
      }
    }
  };
}
