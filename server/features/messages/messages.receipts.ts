/** What providers report about a message: its id there, its delivery, reactions. */
import type { MessageStatus, ReceiptAnswer } from '../../../contract/messaging/messages.ts';
import { isUniqueViolation, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Actor } from '../accounts/accounts.ts';
import { requireOpenSession } from '../sessions/sessions.ts';
import { type EarlyReceipt, insertEarlyReceipt, takeEarlyReceipts } from './messages.receipts.sql.ts';
import { findMessage, lockMessageByProvider, type StoredMessage, updateReceipt } from './messages.sql.ts';

export interface ReceiptContext {
  actor: Actor;
  now: number;
  visible: string[] | null;
}

const earlyForMs = 10 * 60_000;
const maxReactions = 20;

export async function linkMessage(
  tx: Tx,
  { actor, now, visible }: ReceiptContext,
  sessionId: string,
  messageId: string,
  input: { providerMsgId: string; setStatusToSent?: boolean },
): Promise<ReceiptAnswer> {
  const { accountId } = actor;
  await requireOpenSession(tx, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message) throw notFound('message');
  const { providerMsgId } = input;
  if (message.providerMsgId !== null && message.providerMsgId !== providerMsgId) {
    throw conflict('the message is linked to another provider id');
  }
  const linked: StoredMessage = { ...message, providerMsgId, reactions: [...message.reactions] };
  if (input.setStatusToSent && (linked.status === null || linked.status === 'failed')) linked.status = 'sent';
  const early = await takeEarlyReceipts(tx, accountId, sessionId, providerMsgId, now - earlyForMs);
  for (const receipt of early) apply(linked, receipt);
  await save(tx, accountId, linked, now);
  return answer(linked, true, 'message linked');
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
  { actor, now, visible }: ReceiptContext,
  sessionId: string,
  messageId: string,
  { action, emoji }: { action: 'add' | 'remove'; emoji: string },
): Promise<ReceiptAnswer> {
  const { accountId } = actor;
  if (emoji.trim() === '') throw badRequest('emoji must not be blank');
  await requireOpenSession(tx, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message) throw notFound('message');
  if (message.isNote || message.role === 'system')
    throw badRequest('only messages to or from the customer have reactions');
  if (action === 'add' && !message.reactions.includes(emoji) && message.reactions.length >= maxReactions) {
    throw conflict(`the message already has ${maxReactions} reactions`);
  }
  const applied = apply(message, { kind: 'reaction', action, emoji });
  if (applied) await save(tx, accountId, message, now);
  return answer(message, applied, applied ? 'applied' : 'nothing to change');
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
  const changed = apply(message, { kind: 'reaction', action: 'upsert', emoji });
  if (changed) await save(tx, accountId, message, now);
  return changed;
}

async function receive(
  tx: Tx,
  { actor, now, visible }: ReceiptContext,
  sessionId: string,
  providerMsgId: string,
  receipt: EarlyReceipt,
): Promise<{ early: boolean; answer: ReceiptAnswer }> {
  const { accountId } = actor;
  await requireOpenSession(tx, actor, visible, sessionId);
  const message = await lockMessageByProvider(tx, accountId, sessionId, providerMsgId);
  if (!message) {
    await insertEarlyReceipt(tx, accountId, sessionId, providerMsgId, receipt, now);
    const kept = { messageId: null, providerMsgId, status: null, reactions: [], applied: false };
    return { early: true, answer: { ...kept, message: 'kept until the message is linked' } };
  }
  const applied = apply(message, receipt);
  if (applied) await save(tx, accountId, message, now);
  return { early: false, answer: answer(message, applied, applied ? 'applied' : 'nothing to change') };
}

/** Changes the message in place; false if the receipt is late or changes nothing. */
function apply(message: Pick<StoredMessage, 'status' | 'reactions'>, receipt: EarlyReceipt): boolean {
  if (receipt.kind === 'status') {
    if (!follows(message.status, receipt.status)) return false;
    message.status = receipt.status;
    return true;
  }
  const { action, emoji } = receipt;
  const before = message.reactions;
  if (action === 'upsert') message.reactions = emoji === null ? [] : [emoji];
  else if (action === 'remove') message.reactions = before.filter((one) => one !== emoji);
  else if (!before.includes(emoji!)) message.reactions = [...before, emoji!];
  return (
    before.length !== message.reactions.length ||
    before.some((one, index) => one !== message.reactions[index])
  );
}

const rank = { sent: 1, delivered: 2, read: 3 };

/** Forward only; failed only from nothing or sent; a delivered message had not failed. */
function follows(from: MessageStatus | null, to: MessageStatus): boolean {
  if (to === 'failed') return from === null || from === 'sent';
  if (from === 'failed') return to !== 'sent';
  return from === null || rank[to] > rank[from];
}

async function save(tx: Tx, accountId: string, message: StoredMessage, now: number): Promise<void> {
  const { id, providerMsgId, status, reactions } = message;
  await updateReceipt(tx, accountId, id, { providerMsgId, status, reactions, now }).catch((error) => {
    if (isUniqueViolation(error, 'messages_provider')) throw conflict('another message has this provider id');
    throw error;
  });
}

function answer(message: StoredMessage, applied: boolean, text: string): ReceiptAnswer {
  const { id, providerMsgId, status, reactions } = message;
  return { messageId: id, providerMsgId, status, reactions, applied, message: text };
}
