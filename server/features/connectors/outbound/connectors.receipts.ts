/**
 * What comes in about our own sends: receipts, by the provider's id or by ours, and copies of what we sent. Either may come
 * before the answer to the send, or instead of it.
 */
import type { Tx } from '../../../platform/db/db.ts';
import { isId } from '../../../platform/ids.ts';
import {
  earlyKeyOf,
  findMessage,
  findSentPart,
  insertEarlyReceipt,
  receiveStatus,
  type UpdateContext,
} from '../../messages/messages.ts';
import { openSession, type SessionState } from '../../sessions/sessions.ts';
import type { Inbound } from '../connectors.provider.ts';
import { findOutbound, lockOutbound, lockUnanswered } from './connectors.outbound.sql.ts';
import { settlePart } from './connectors.outcome.ts';
import { readPartId } from './connectors.plan.ts';

type Status = Extract<Inbound, { type: 'status' }>;

/** One that comes too early is kept for ten minutes. Returns the conversation that it is of, if it is known. */
export async function receiveProviderStatus(
  tx: Tx,
  context: UpdateContext,
  channelId: string,
  { providerMsgId, status, reason, ourId }: Status,
): Promise<string | null> {
  const { accountId, now } = context;
  const sessionId = ourId === null ? null : await settleByOurId(tx, context, channelId, ourId, providerMsgId);
  const place = sessionId ?? (await findSentPart(tx, accountId, channelId, providerMsgId))?.sessionId ?? null;
  if (place !== null) {
    const { state } = await openSession(tx, accountId, place);
    if (state && (await receiveStatus(tx, context, state, { providerMsgId, status, reason }))) return place;
  }
  const receipt = { kind: 'status', status, reason: reason ?? undefined } as const;
  await insertEarlyReceipt(tx, accountId, earlyKeyOf(channelId), providerMsgId, receipt, now);
  return place;
}

/** The answer to the send has not come, but its receipt tells the provider's id. */
async function settleByOurId(
  tx: Tx,
  context: UpdateContext,
  channelId: string,
  ourId: string,
  providerMsgId: string,
): Promise<string | null> {
  const { accountId } = context;
  const id = readPartId(ourId);
  const found = id && isId(id.outboundId) ? await findOutbound(tx, accountId, id.outboundId) : null;
  if (!id || found?.channelId !== channelId) return null;
  const { sessionId, messageId } = found;
  const { state } = await openSession(tx, accountId, sessionId);
  const message = state && (await findMessage(tx, accountId, sessionId, messageId));
  const row = await lockOutbound(tx, accountId, id.outboundId);
  if (!state || !message || !row) return null;
  await settlePart(tx, context, state, message, row, id.index, { providerMsgId, status: null });
  return sessionId;
}

/**
 * Whether a copy of a message that the business sent is one of our own sends. In a conversation that is open for writing.
 * One whose answer is missing is recognised by its text.
 */
export async function recogniseOwnSend(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  copy: { providerMsgId: string; text: string; hasFile: boolean },
): Promise<boolean> {
  const { accountId } = context;
  const { sessionId, channelId } = state;
  const { providerMsgId, text, hasFile } = copy;
  if (await findSentPart(tx, accountId, channelId, providerMsgId)) return true;
  for (const row of await lockUnanswered(tx, accountId, sessionId)) {
    const index =
      row.parts?.findIndex(
        (part) =>
          (part.state === 'sending' || part.state === 'unknown') &&
          (part.file !== null) === hasFile &&
          part.text.trim() === text.trim(),
      ) ?? -1;
    const message = index < 0 ? null : await findMessage(tx, accountId, sessionId, row.messageId);
    if (!message) continue;
    await settlePart(tx, context, state, message, row, index, { providerMsgId, status: null });
    return true;
  }
  return false;
}
