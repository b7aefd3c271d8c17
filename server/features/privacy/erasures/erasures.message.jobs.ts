/** What logs and stores still have of a deleted message. */
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { eraseAnswers } from '../../../platform/http/idempotency.ts';
import { type JobHandler, JobReleased } from '../../../platform/jobs/jobs.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { removeErasedFiles } from '../../attachments/attachments.ts';
import { type DeletedMessage, deleteEventsOfMessage, deleteReceived } from './erasures.message.sql.ts';

const eventsAtOnce = 1_000;

export function messageDeletionHandler(deps: {
  db: Db;
  blobs: BlobStore;
  clock: Clock;
  secrets: Secrets;
}): JobHandler {
  const { db, secrets } = deps;
  return async (job) => {
    const { accountId } = job;
    const message = job.payload as unknown as DeletedMessage;
    const batch = async <T>(part: (tx: Tx) => Promise<T>): Promise<T> => {
      if (job.isStopping()) throw new JobReleased('the service is stopping');
      return db.transaction(async (tx) => {
        await job.keep(tx, false);
        return part(tx);
      });
    };
    for (let count = eventsAtOnce; count === eventsAtOnce; ) {
      count = await batch((tx) => deleteEventsOfMessage(tx, accountId, message, eventsAtOnce));
    }
    await batch((tx) => deleteReceived(tx, accountId, message.messageId));
    await eraseAnswers(db, secrets, accountId, (body) => body.includes(message.messageId));
    await removeErasedFiles(deps, accountId, () => batch(async () => undefined));
  };
}
