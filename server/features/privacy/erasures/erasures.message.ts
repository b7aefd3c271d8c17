/**
 * Deleting one message: its text and its files go, its place in the conversation stays. What would send or answer it
 * goes in the same transaction; a job removes what logs and stores still have of it.
 */
import type { Tx } from '../../../platform/db/db.ts';
import { conflict, forbidden, notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue } from '../../../platform/jobs/jobs.ts';
import { type Actor, audit, may } from '../../accounts/accounts.ts';
import { markErased } from '../../attachments/attachments.ts';
import type { Directory } from '../../channels/channels.ts';
import { dropMessage, findMessage, isContentGone, removeContent } from '../../messages/messages.ts';
import { requireOpenSession } from '../../sessions/sessions.ts';
import { type DeletedMessage, deleteUses } from './erasures.message.sql.ts';

export const messageDeletionJobKind = jobKind('message_deletion');

interface Deleting {
  actor: Actor;
  now: number;
  visible: string[] | null;
  directory: Directory;
  /** Also what is not held. */
  erases: boolean;
}

/** A held reply was never sent: everybody who may reply drops it. What was sent is deleted by administrators. */
export async function deleteOneMessage(
  tx: Tx,
  { actor, now, visible, directory, erases }: Deleting,
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
  if (!erases) throw conflict('the message is not held');
  if (!may(actor, 'privacy.manage'))
    throw forbidden('only an administrator deletes a message that is not held');
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
