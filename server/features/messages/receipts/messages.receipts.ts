/** What providers report about a message: its id there, its delivery, reactions. */
import type { MessageStatus, ReceiptAnswer } from '../../../../contract/messaging/messages.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Actor } from '../../accounts/accounts.ts';
import type { Directory } from '../../channels/channels.ts';
import { requireOpenSession, type SessionState } from '../../sessions/sessions.ts';
import { queueOutbound } from '../messages.connectors.sql.ts';
import { findMessage, type StoredMessage, updateMessageRow } from '../messages.sql.ts';
import { applyReceipt, changeBy, type Delivered, earlyForMs, findReceiver } from './messages.delivery.ts';
import { type EarlyReceipt, insertEarlyReceipt, takeEarlyReceipts } from './messages.receipts.sql.ts';
import { type MessageChange, type UpdateContext, updateMessage } from './messages.updates.ts';

export interface ReceiptContext {
  actor: Actor;
  now: number;
  visible: string[] | null;
  directory: Directory;
}

const maxReactions = 20;

export async function linkMessage(
  tx: Tx,
  { actor, now, visible, directory }: ReceiptContext,
  sessionId: string,
  messageId: string,
  input: { providerMsgId: string; setStatusToSent?: boolean },
): Promise<ReceiptAnswer> {
  const { accountId } = actor;
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message) throw notFound('message');
  const { providerMsgId } = input;
  if (message.providerMsgId !== null && message.providerMsgId !== providerMsgId) {
    throw conflict('the message is linked to another provider id');
  }
  const change: MessageChange = { providerMsgId };
  const isUnsent = message.status === null || message.status === 'failed';
  if (input.setStatusToSent && isUnsent) change.status = 'sent';
  const early = await takeEarlyReceipts(tx, accountId, sessionId, providerMsgId, now - earlyForMs);
  for (const receipt of early) Object.assign(change, changeBy({ ...message, ...change }, [], receipt));
  const updated = await updateMessage(tx, { accountId, now, directory }, state, message, change);
  return answer(updated.message, true, 'message linked');
}

export async function setStatus(
  tx: Tx,
  context: ReceiptContext,
  sessionId: string,
  input: { providerMsgId: string; status: MessageStatus },
): Promise<{ early: boolean; answer: ReceiptAnswer }> {
  return receive(tx, context, sessionId, input.providerMsgId, { kind: 'status', status: input.status });
}

export async function react(
  tx: Tx,
  context: ReceiptContext,
  sessionId: string,
  input: { providerMsgId: string; action: 'add' | 'remove' | 'upsert'; emoji?: string | null },
): Promise<{ early: boolean; answer: ReceiptAnswer }> {
  const { action } = input;
  // Chat apps report a removed reaction as an empty one.
  const emoji = input.emoji || null;
  if (action !== 'upsert' && emoji === null) throw badRequest('emoji is required');
  const receipt: EarlyReceipt = { kind: 'reaction', action, emoji };
  return receive(tx, context, sessionId, input.providerMsgId, receipt);
}

/** An operator's own reaction, to a message that the channel's provider may not know. */
export async function reactToMessage(
  tx: Tx,
  { actor, now, visible, directory }: ReceiptContext,
  sessionId: string,
  messageId: string,
  { action, emoji }: { action: 'add' | 'remove'; emoji: string },
): Promise<ReceiptAnswer> {
  const { accountId } = actor;
  if (emoji.trim() === '') throw badRequest('emoji must not be blank');
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message) throw notFound('message');
  if (message.isNote || message.role === 'system')
    throw badRequest('only messages to or from the customer have reactions');
  if (action === 'add' && !message.reactions.includes(emoji) && message.reactions.length >= maxReactions) {
    throw conflict(`the message already has ${maxReactions} reactions`);
  }
  const receipt: EarlyReceipt = { kind: 'reaction', action, emoji };
  const receiver = { message, parts: [] };
  const context = { accountId, now, directory };
  const delivered = await applyReceipt(tx, context, state, receiver, null, receipt);
  await sendReaction(tx, context, state, delivered, action === 'add' ? emoji : null);
  return answerOf(delivered);
}

/**
 * For callers that know the message itself. False: there was nothing to change. The conversation is already locked.
 */
export async function reactTo(
  tx: Tx,
  accountId: string,
  message: StoredMessage,
  emoji: string | null,
  now: number,
): Promise<boolean> {
  const change = changeBy(message, [], { kind: 'reaction', action: 'upsert', emoji });
  if (change) await updateMessageRow(tx, accountId, { ...message, ...change, updatedAt: now });
  return change !== null;
}

async function receive(
  tx: Tx,
  { actor, now, visible, directory }: ReceiptContext,
  sessionId: string,
  providerMsgId: string,
  receipt: EarlyReceipt,
): Promise<{ early: boolean; answer: ReceiptAnswer }> {
  const { accountId } = actor;
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const receiver = await findReceiver(tx, accountId, state, providerMsgId);
  if (!receiver) {
    await insertEarlyReceipt(tx, accountId, sessionId, providerMsgId, receipt, now);
    const kept = { messageId: null, providerMsgId, status: null, reactions: [], applied: false };
    return { early: true, answer: { ...kept, message: 'kept until the message is linked' } };
  }
  const context = { accountId, now, directory };
  const delivered = await applyReceipt(tx, context, state, receiver, providerMsgId, receipt);
  if (receipt.kind === 'reaction') {
    await sendReaction(tx, context, state, delivered, receipt.action === 'remove' ? null : receipt.emoji);
  }
  return { early: false, answer: answerOf(delivered) };
}

/** On a connected channel an operator's reaction goes to the customer, who sees one of ours at most. */
async function sendReaction(
  tx: Tx,
  { accountId, now, directory }: UpdateContext,
  { channelId, sessionId }: SessionState,
  { applied, message }: Delivered,
  emoji: string | null,
): Promise<void> {
  if (!applied || message.providerMsgId === null || !directory.connectedIds.has(channelId)) return;
  await queueOutbound(tx, accountId, { channelId, sessionId, messageId: message.id, emoji, now });
}

const answerOf = ({ message, applied }: Delivered) =>
  answer(message, applied, applied ? 'applied' : 'nothing to change');

function answer(message: StoredMessage, applied: boolean, text: string): ReceiptAnswer {
  const { id, providerMsgId, status, reactions } = message;
  return { messageId: id, providerMsgId, status, reactions, applied, message: text };
}
