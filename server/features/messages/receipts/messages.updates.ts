/** Changes of a stored message: its text, its delivery, its reactions. Each is told to the channel's webhook. */
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { isUniqueViolation, type Tx } from '../../../platform/db/db.ts';
import { emitAllFrozen } from '../../../platform/events/outbox.ts';
import { conflict } from '../../../platform/http/errors.ts';
import type { Directory } from '../../channels/channels.ts';
import { forgetCitations, forgetUnanswered, withCurrentAudience } from '../../knowledge/knowledge.ts';
import {
  changeLifecycle,
  recordChange,
  type SessionState,
  system,
  updateSession,
} from '../../sessions/sessions.ts';
import { markReached } from '../messages.customer.sql.ts';
import { messageEvent } from '../messages.events.ts';
import { clearMessageRow, type StoredMessage, updateMessageRow } from '../messages.sql.ts';

export interface UpdateContext {
  accountId: string;
  now: number;
  directory: Directory;
}

export type MessageChange = Partial<
  Pick<
    StoredMessage,
    'content' | 'editedAt' | 'deletedAt' | 'providerMsgId' | 'status' | 'statusReason' | 'reactions'
  >
>;

/**
 * In a conversation that is open for writing. A message that fails needs a person. Returns the message and the
 * conversation as written.
 */
export async function updateMessage(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  before: StoredMessage,
  change: MessageChange,
): Promise<{ message: StoredMessage; session: SessionState }> {
  const { accountId, now } = context;
  const message: StoredMessage = { ...before, ...change, updatedAt: now };
  if (message.status !== 'failed' && !message.held) message.statusReason = null;
  await updateMessageRow(tx, accountId, message).catch((error) => {
    if (isUniqueViolation(error, 'messages_provider')) throw conflict('another message has this provider id');
    throw error;
  });
  return { message, session: await tellUpdates(tx, context, state, [{ before, message }]) };
}

/** An administrator has deleted it. A customer's deletion keeps the text for the operators. */
export const isContentGone = ({ deletedAt, content, attachments }: StoredMessage): boolean =>
  deletedAt !== null && content === '' && attachments.length === 0;

/** The text, the files and everything else that somebody wrote; the message stays in its place. Returns keys of files. */
export async function removeContent(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  before: StoredMessage,
): Promise<string[]> {
  const { accountId, now } = context;
  const fileKeys = await clearMessageRow(tx, accountId, before.id, now);
  await forgetCitations(tx, accountId, before.id);
  await forgetUnanswered(tx, accountId, before.id);
  const { mentions: _mentions, citations, ...rest } = before;
  const message: StoredMessage = {
    ...rest,
    content: '',
    attachments: [],
    reactions: [],
    data: null,
    editedAt: null,
    statusReason: null,
    deletedAt: now,
    updatedAt: now,
    ...(citations && { citations: [] }),
  };
  await tellUpdates(tx, context, state, [{ before, message }]);
  return fileKeys;
}

/** The customer has received, or read, everything up to a place: a visitor of the web chat tells it so. */
export async function messagesReached(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  upTo: number,
  status: 'delivered' | 'read',
): Promise<void> {
  const { accountId, now } = context;
  const reached = await markReached(tx, accountId, state.sessionId, upTo, status, now);
  const changes = reached.map(({ before, message }) => ({
    before: { ...message, status: before },
    message,
  }));
  await tellUpdates(tx, context, state, changes);
}

const toldFields = ['content', 'editedAt', 'deletedAt', 'status'] as const;

/** With the channel's setting `forwardUpdates`. Returns the conversation as written. */
async function tellUpdates(
  tx: Tx,
  { accountId, now, directory }: UpdateContext,
  state: SessionState,
  changes: readonly { before: StoredMessage; message: StoredMessage }[],
): Promise<SessionState> {
  const channel = directory.channels.get(state.channelId);
  if (!channel?.webhookUrl || channel.settings.forwardUpdates !== true) return state;
  const told = changes.filter(
    ({ before, message }) =>
      toldFields.some((field) => before[field] !== message[field]) && !message.isNote && !message.held,
  );
  if (told.length === 0) return state;
  const session = { ...state, eventSequence: state.eventSequence + told.length, updatedAt: now };
  const shown = await withCurrentAudience(
    tx,
    told.map(({ message }) => message),
    () => accountId,
  );
  const events = shown.map((message, index) => {
    const isCustomers = message.role === 'user';
    const agentId = isCustomers ? state.agentId : message.agentId;
    const { providerMsgId, status, statusReason, editedAt, deletedAt } = message;
    return messageEvent({
      accountId,
      event: 'message_updated',
      direction: isCustomers ? (message.isEcho ? 'echo' : 'incoming') : 'outgoing',
      session,
      channel,
      agent: agentId === null ? null : (directory.agents.get(agentId) ?? null),
      message: { ...message, attachments: message.attachments as MessageAttachment[] },
      changed: { providerMsgId, status, statusReason, editedAt, deletedAt },
      sequence: state.eventSequence + index + 1,
      now,
    });
  });
  await emitAllFrozen(tx, events);
  await updateSession(tx, accountId, session);
  return session;
}

/** What needs a person must be in the list of open conversations. */
export async function needAttention(
  tx: Tx,
  { accountId, now }: UpdateContext,
  state: SessionState,
): Promise<SessionState> {
  const opened = changeLifecycle(state, now, system, { status: 'open' });
  if (state.needsAttention && !opened.change) return state;
  const session = { ...opened.state, needsAttention: true, updatedAt: now };
  await updateSession(tx, accountId, session);
  await recordChange(tx, accountId, { ...opened, state: session });
  return session;
}
