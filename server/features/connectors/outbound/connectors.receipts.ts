/**
 * What comes in about our own sends: receipts, by the provider's id or by ours, and copies of what we sent. Either may come
 * before the answer to the send, or instead of it.
 */
import type { Tx } from '../../../platform/db/db.ts';
import { isId } from '../../../platform/ids.ts';
import { contactKey } from '../../blocked-contacts/blocked-contacts.ts';
import { findMessage, findSentPart, type UpdateContext } from '../../messages/messages.ts';
import { openSession } from '../../sessions/sessions.ts';
import type { InboundMessage } from '../connectors.provider.ts';
import type { SentByUs } from '../inbound/connectors.outgoing.ts';
import {
  findOutbound,
  lockOutbound,
  type OutboundRow,
  type PlannedPart,
  selectUnanswered,
  selectUnansweredOf,
} from './connectors.outbound.sql.ts';
import { type OutcomeDeps, settlePart } from './connectors.outcome.ts';
import { readPartId } from './connectors.plan.ts';

export function createSentByUs(deps: OutcomeDeps): SentByUs {
  const { db, clock, accountConfig } = deps;
  const settle = async (tx: Tx, place: OutboundRow, index: number, providerMsgId: string) => {
    const { accountId, sessionId, messageId, id } = place;
    const { directory } = await accountConfig.fresh(accountId, tx);
    const context: UpdateContext = { accountId, now: clock.now(), directory };
    const { state } = await openSession(tx, accountId, sessionId);
    const message = state && (await findMessage(tx, accountId, sessionId, messageId));
    const row = await lockOutbound(tx, accountId, id);
    if (!state || !message || !row) return;
    await settlePart(tx, context, state, message, row, index, { providerMsgId, status: null });
  };
  return {
    async findSession(reader, accountId, channelId, { providerMsgId, ourId }) {
      const sent = await findSentPart(reader, accountId, channelId, providerMsgId);
      if (sent) return sent.sessionId;
      const id = ourId === null ? null : readPartId(ourId);
      const row = id && isId(id.outboundId) ? await findOutbound(reader, accountId, id.outboundId) : null;
      return row?.channelId === channelId ? row.sessionId : null;
    },

    async confirm(tx, accountId, channelId, { providerMsgId, ourId }) {
      const id = ourId === null ? null : readPartId(ourId);
      const row = id && isId(id.outboundId) ? await findOutbound(tx, accountId, id.outboundId) : null;
      if (id && row?.channelId === channelId) await settle(tx, row, id.index, providerMsgId);
    },

    async isSending(tx, accountId, sessionId, until) {
      const rows = await selectUnansweredOf(tx, accountId, sessionId);
      const isOpen = ({ state, startedAt }: PlannedPart) =>
        (state === 'sending' || state === 'unknown') && (startedAt ?? 0) <= until;
      return rows.some(({ parts }) => parts?.some(isOpen) ?? false);
    },

    async isOurs(reader, accountId, channelId, echo) {
      const { providerMsgId } = echo;
      if (await findSentPart(reader, accountId, channelId, providerMsgId)) return true;
      const known = echo.ourId === undefined ? null : readPartId(echo.ourId);
      const sent =
        known && isId(known.outboundId) ? await findOutbound(reader, accountId, known.outboundId) : null;
      if (known && sent?.channelId === channelId) {
        await db.transaction((tx) => settle(tx, sent, known.index, providerMsgId));
        return true;
      }
      const unanswered = await selectUnanswered(reader, accountId, channelId);
      // Its answer may have come in between.
      if (await findSentPart(reader, accountId, channelId, providerMsgId)) return true;
      for (const { externalUserId, ...row } of unanswered) {
        const index = isTo(echo, externalUserId) ? indexOf(row, echo) : -1;
        if (index < 0) continue;
        await db.transaction((tx) => settle(tx, row, index, providerMsgId));
        return true;
      }
      return false;
    },
  };
}

const isTo = ({ customer }: InboundMessage, externalUserId: string | null) =>
  externalUserId !== null &&
  [customer.id, ...customer.identifiers.map(({ value }) => value)]
    .map(contactKey)
    .includes(contactKey(externalUserId));

/** A send whose answer is missing is recognised by its text. -1: it is another one. */
function indexOf({ parts, state }: OutboundRow, { text, media }: InboundMessage): number {
  if (!parts) return -1;
  return parts.findIndex(
    (part) =>
      (part.state === 'unknown' || (part.state === 'sending' && state !== 'failed')) &&
      (part.file !== null) === media.length > 0 &&
      part.text.trim() === text.trim(),
  );
}
