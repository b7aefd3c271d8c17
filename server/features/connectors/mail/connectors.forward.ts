/** Forwarding a message by e-mail: a note records it and carries its status; the connector sends it. */
import { type ForwardBody, isMailAddress, type MessageMail } from '../../../../contract/messaging/mail.ts';
import type { Note } from '../../../../contract/messaging/messages.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { badRequest, channelDisabled, conflict, notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Directory } from '../../channels/channels.ts';
import {
  createNote,
  findMessage,
  type NoteContext,
  patchMessageData,
  queueOutbound,
} from '../../messages/messages.ts';
import { requireOpenSession } from '../../sessions/sessions.ts';
import { findMail } from './connectors.mail.sql.ts';

export async function forwardMessage(
  tx: Tx,
  context: NoteContext & { directory: Directory },
  { sessionId, messageId }: { sessionId: string; messageId: string },
  { to, note = '' }: ForwardBody,
): Promise<Note> {
  const { actor, directory, now, visible } = context;
  const { accountId } = actor;
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message || message.isNote || message.role === 'system') throw notFound('message');
  for (const [index, address] of to.entries()) {
    if (!isMailAddress(address)) throw badRequest(`to[${index}] must be an e-mail address`);
  }
  const { channelId } = state;
  const channel = directory.channels.get(channelId);
  if (channel?.type !== 'email' || !directory.connectedIds.has(channelId)) {
    throw conflict('only a channel with an e-mail connector can forward messages');
  }
  if (!channel.enabled) throw channelDisabled();
  const addresses = [...new Set(to.map((address) => address.toLowerCase()))];
  const lines = [`Forwarded to ${addresses.join(', ')}`, note.trim()].filter((line) => line !== '');
  const created = await createNote(tx, context, { channelId, sessionId }, { content: lines.join('\n\n') });
  const subject = (await findMail(tx, accountId, messageId))?.headers.subject ?? '';
  const mail: MessageMail = {
    subject: forwardSubject(subject),
    from: null,
    to: addresses.map((address) => ({ name: null, address })),
    cc: [],
    hasHtml: false,
    hasQuoted: false,
    forwardOf: messageId,
    ...(note.trim() !== '' && { note: note.trim() }),
  };
  await patchMessageData(tx, accountId, created.messageId, { mail }, now);
  await queueOutbound(tx, accountId, { channelId, sessionId, messageId: created.messageId, now });
  return created;
}

const forwardSubject = (subject: string) =>
  /^(?:fwd?|wg|enc|rv):/i.test(subject) ? subject : `Fwd: ${subject}`.trim();
