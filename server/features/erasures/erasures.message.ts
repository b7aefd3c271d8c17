/**
 * Deleting one message: its text and its files go, its place in the conversation stays. What would send or answer it
 * goes in the same transaction; a job removes what logs and stores still have of it.
 */
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { conflict, forbidden, notFound } from '../../platform/http/errors.ts';
import { eraseAnswers } from '../../platform/http/idempotency.ts';
import { isId } from '../../platform/ids.ts';
import { endlessAttempts, enqueue, type JobHandler, JobReleased } from '../../platform/jobs/jobs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Actor, audit, mayManage } from '../accounts/accounts.ts';
import { markErased, removeErasedFiles } from '../attachments/attachments.ts';
import type { Directory } from '../channels/channels.ts';
import { dropMessage, findMessage, isContentGone, removeContent } from '../messages/messages.ts';
import { requireOpenSession } from '../sessions/sessions.ts';
import {
  type DeletedMessage,
  deleteEventsOfMessage,
  deleteReceived,
  deleteUses,
} from './erasures.message.sql.ts';

export const messageDeletionJobKind = 'message_deletion';

const eventsAtOnce = 1_000;

interface Deleting {
  actor: Actor;
  now: number;
  visible: string[] | null;
  directory: Directory;
  onlyHeld: boolean;
}

/** A held reply was never sent: everybody who may reply drops it. What was sent is deleted by administrators. */
export async function deleteOneMessage(
  tx: Tx,
  { actor, now, visible, directory, onlyHeld }: Deleting,
  sessionId: string,
  messageId: string,
): Promise<'dropped' | 'deleted'> {
  const { accountId } = actor;
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message) throw notFound('message');
  if (message.held) {
    await dropMessage(tx, { actor, now, visible }, sessionId, messageId);
    return 'dropped';
  }
  if (onlyHeld) throw conflict('the message is not held');
  if (!mayManage(actor)) throw forbidden('only an administrator deletes a message that is not held');
  if (isContentGone(message)) return 'deleted';
  const fileKeys = await removeContent(tx, { accountId, now, directory }, state, message);
  const deleted: DeletedMessage = {
    messageId,
    sessionId,
    channelId: state.channelId,
    providerMsgId: message.providerMsgId,
    createdAt: message.timestamp,
    deletedAt: now,
  };
  const others = await deleteUses(tx, accountId, deleted);
  await markErased(tx, accountId, [...new Set([...fileKeys, ...others])]);
  await audit(tx, actor, now, {
    action: 'message.deleted',
    target: { type: 'message', id: messageId },
    changes: { contactId: state.contactId },
  });
  await enqueue(tx, {
    accountId,
    kind: messageDeletionJobKind,
    payload: deleted,
    dedupeKey: messageId,
    maxAttempts: endlessAttempts,
  });
  return 'deleted';
}

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
