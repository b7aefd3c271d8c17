/** Changes of a stored message: its text, its delivery, its reactions. Each is told to the channel's webhook. */
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { isUniqueViolation, type Tx } from '../../../platform/db/db.ts';
import { emitFrozen } from '../../../platform/events/outbox.ts';
import { conflict } from '../../../platform/http/errors.ts';
import type { Directory } from '../../channels/channels.ts';
import {
  changeLifecycle,
  recordChange,
  type SessionState,
  searchTextOf,
  system,
  updateSession,
} from '../../sessions/sessions.ts';
import { messageEvent } from '../messages.events.ts';
import { type StoredMessage, updateMessageRow } from '../messages.sql.ts';

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
  return { message, session: await tellUpdate(tx, context, state, before, message) };
}

/** With the channel's setting `forwardUpdates`. Returns the conversation as written. */
async function tellUpdate(
  tx: Tx,
  { accountId, now, directory }: UpdateContext,
  state: SessionState,
  before: StoredMessage,
  message: StoredMessage,
): Promise<SessionState> {
  const channel = directory.channels.get(state.channelId);
  const fields = ['content', 'editedAt', 'deletedAt', 'status'] as const;
  const isTold = fields.some((field) => before[field] !== message[field]) && !message.isNote && !message.held;
  if (!isTold || !channel?.webhookUrl || channel.settings.forwardUpdates !== true) return state;
  const isCustomers = message.role === 'user';
  const agentId = isCustomers ? state.agentId : message.agentId;
  const session = { ...state, eventSequence: state.eventSequence + 1, updatedAt: now };
  const { providerMsgId, status, statusReason, editedAt, deletedAt } = message;
  const event = messageEvent({
    accountId,
    event: 'message_updated',
    direction: isCustomers ? (message.isEcho ? 'echo' : 'incoming') : 'outgoing',
    session,
    channel,
    agent: agentId === null ? null : (directory.agents.get(agentId) ?? null),
    message: { ...message, attachments: message.attachments as MessageAttachment[] },
    changed: { providerMsgId, status, statusReason, editedAt, deletedAt },
    sequence: session.eventSequence,
    now,
  });
  await emitFrozen(tx, event);
  await updateSession(tx, accountId, session, searchTextOf(session));
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
  await updateSession(tx, accountId, session, searchTextOf(session));
  await recordChange(tx, accountId, { ...opened, state: session });
  return session;
}
