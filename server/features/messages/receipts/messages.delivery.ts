/**
 * What becomes of a message at its provider. A message of several parts is linked to its first; a receipt of any part
 * counts, and the message's status is the least of its parts'.
 */
import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import type { Tx } from '../../../platform/db/db.ts';
import type { SessionState } from '../../sessions/sessions.ts';
import { findMessage, lockMessageByProvider, type StoredMessage } from '../messages.sql.ts';
import {
  deleteParts,
  findSentPart,
  insertParts,
  type MessagePart,
  resetParts,
  selectParts,
  updatePart,
} from './messages.parts.sql.ts';
import { type EarlyReceipt, takeEarlyReceipts } from './messages.receipts.sql.ts';
import { type MessageChange, needAttention, type UpdateContext, updateMessage } from './messages.updates.ts';

export const earlyForMs = 10 * 60_000;

export interface Receiver {
  message: StoredMessage;
  /** None: no connector has sent it. */
  parts: MessagePart[];
}

export interface Delivered {
  applied: boolean;
  message: StoredMessage;
  session: SessionState;
}

/** In a conversation that is open for writing. */
export async function findReceiver(
  tx: Tx,
  accountId: string,
  { sessionId, channelId }: SessionState,
  providerMsgId: string,
): Promise<Receiver | null> {
  let message = await lockMessageByProvider(tx, accountId, sessionId, providerMsgId);
  if (!message) {
    const part = await findSentPart(tx, accountId, channelId, providerMsgId);
    message =
      part?.sessionId === sessionId ? await findMessage(tx, accountId, sessionId, part.messageId) : null;
  }
  if (!message) return null;
  return { message, parts: message.role === 'user' ? [] : await selectParts(tx, accountId, message.id) };
}

/** Not applied: the receipt is late or changes nothing. */
export async function applyReceipt(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  { message, parts }: Receiver,
  providerMsgId: string | null,
  receipt: EarlyReceipt,
): Promise<Delivered> {
  const part = parts.find((one) => one.providerMsgId === providerMsgId);
  if (receipt.kind === 'status' && part) {
    if (!follows(part.status, receipt.status)) return { applied: false, message, session: state };
    part.status = receipt.status;
    await updatePart(tx, context.accountId, message.id, part);
  }
  const change = changeBy(message, parts, receipt);
  if (!change) return { applied: part !== undefined && receipt.kind === 'status', message, session: state };
  const updated = await updateMessage(tx, context, state, message, change);
  return { applied: true, ...updated };
}

/** Null: nothing changes. */
export function changeBy(
  message: StoredMessage,
  parts: readonly MessagePart[],
  receipt: EarlyReceipt,
): MessageChange | null {
  if (receipt.kind === 'status') {
    const status = parts.length > 0 ? leastOf(parts) : receipt.status;
    const isOther = status !== null && status !== message.status;
    const isNew = parts.length > 0 ? isOther : follows(message.status, receipt.status);
    return isNew ? { status, statusReason: status === 'failed' ? (receipt.reason ?? null) : null } : null;
  }
  const reactions = reactionsAfter(message.reactions, receipt);
  const isSame = reactions.length === message.reactions.length;
  return isSame && reactions.every((one, index) => one === message.reactions[index]) ? null : { reactions };
}

function reactionsAfter(
  before: string[],
  { action, emoji }: Extract<EarlyReceipt, { kind: 'reaction' }>,
): string[] {
  if (action === 'upsert') return emoji === null ? [] : [emoji];
  if (action === 'remove') return before.filter((one) => one !== emoji);
  return before.includes(emoji!) ? before : [...before, emoji!];
}

const rank = { sent: 1, delivered: 2, read: 3 };

/** Forward only; failed only from nothing or sent; a delivered message had not failed. */
function follows(from: MessageStatus | null, to: MessageStatus): boolean {
  if (to === 'failed') return from === null || from === 'sent';
  if (from === 'failed') return to !== 'sent';
  return from === null || rank[to] > rank[from];
}

/** Null while a part is not sent yet. */
function leastOf(parts: readonly MessagePart[]): MessageStatus | null {
  if (parts.some(({ status }) => status === 'failed')) return 'failed';
  return parts.reduce<MessageStatus | null>((least, { status }) => {
    if (status === null || least === null) return null;
    return rank[status as keyof typeof rank] < rank[least as keyof typeof rank] ? status : least;
  }, 'read');
}

export interface SentPartOf {
  index: number;
  count: number;
  providerMsgId: string;
  status: MessageStatus | null;
  /** When the call began. */
  sentAt: number;
}

/** The provider has taken this part of the message: it is linked, and receipts that came before are applied. */
export async function partSent(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  message: StoredMessage,
  { index, count, providerMsgId, status, sentAt }: SentPartOf,
): Promise<Delivered> {
  const { accountId, now } = context;
  const { sessionId, channelId } = state;
  const isFirst = index === 0;
  if (isFirst || message.providerMsgId === null) {
    await insertParts(tx, accountId, { channelId, sessionId, messageId: message.id }, count);
  }
  const parts = await selectParts(tx, accountId, message.id);
  const since = now - earlyForMs;
  const early = await takeEarlyReceipts(tx, accountId, sessionId, providerMsgId, since);
  const receipts: EarlyReceipt[] = [{ kind: 'status', status: status ?? 'sent' }, ...early];
  const change: MessageChange = isFirst ? { providerMsgId } : {};
  const part = parts[index];
  for (const receipt of receipts) {
    if (part && receipt.kind === 'status') {
      if (!follows(part.status, receipt.status)) continue;
      part.status = receipt.status;
    }
    Object.assign(change, changeBy({ ...message, ...change }, parts, receipt));
  }
  if (part) await updatePart(tx, accountId, message.id, { ...part, providerMsgId }, sentAt);
  const updated = await updateMessage(tx, context, state, message, change);
  return { applied: true, ...updated };
}

/** It was not sent, or not all of it, and will not be: a person must know. */
export async function messageFailed(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  message: StoredMessage,
  reason: string,
): Promise<Delivered> {
  const change: MessageChange = { status: 'failed', statusReason: reason };
  const updated = await updateMessage(tx, context, state, message, change);
  return { ...updated, applied: true, session: await needAttention(tx, context, updated.session) };
}

/** It will be sent again: from its beginning, as if it never was, or what is missing of it. */
export async function resetDelivery(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  message: StoredMessage,
  { keptParts }: { keptParts: readonly number[] },
): Promise<void> {
  if (keptParts.length === 0) await deleteParts(tx, context.accountId, message.id);
  else await resetParts(tx, context.accountId, message.id, keptParts);
  const change: MessageChange = keptParts.includes(0)
    ? { status: null }
    : { providerMsgId: null, status: null };
  await updateMessage(tx, context, state, message, change);
}

/** By a connector, in a conversation that is open for writing. Null: no message has this id yet. */
export async function receiveStatus(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  receipt: { providerMsgId: string; status: MessageStatus; reason: string | null },
): Promise<Delivered | null> {
  const { providerMsgId, status, reason } = receipt;
  const receiver = await findReceiver(tx, context.accountId, state, providerMsgId);
  if (!receiver) return null;
  const report = { kind: 'status', status, reason: reason ?? undefined } as const;
  const delivered = await applyReceipt(tx, context, state, receiver, providerMsgId, report);
  if (!delivered.applied || delivered.message.status !== 'failed') return delivered;
  return { ...delivered, session: await needAttention(tx, context, delivered.session) };
}

/** Of the customer, by a connector. Null removes it. */
export async function receiveReaction(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  { providerMsgId, emoji }: { providerMsgId: string; emoji: string | null },
): Promise<Delivered | null> {
  const receiver = await findReceiver(tx, context.accountId, state, providerMsgId);
  const receipt: EarlyReceipt = { kind: 'reaction', action: 'upsert', emoji };
  return receiver && applyReceipt(tx, context, state, receiver, providerMsgId, receipt);
}
