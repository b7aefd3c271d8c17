/** What has become of a send, written together with the message: linked, failed, or unknown for now. */

import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import type { AccountConfigCache } from '../../channels/channels.ts';
import {
  findMessage,
  messageFailed,
  partSent,
  type StoredMessage,
  type UpdateContext,
} from '../../messages/messages.ts';
import type { SessionState } from '../../sessions/sessions.ts';
import { openSession } from '../../sessions/sessions.ts';
import type { SentPart } from '../connectors.provider.ts';
import { lockProviderIds, resumeEarlyItems } from '../inbound/connectors.items.sql.ts';
import { addNotice } from '../inbound/connectors.notice.ts';
import { wakeLanes, watermarkId } from '../inbound/connectors.split.ts';
import { lockOutbound, type OutboundRow, type PlannedPart, writeOutcome } from './connectors.outbound.sql.ts';

export interface OutcomeDeps {
  db: Db;
  clock: Clock;
  accountConfig: AccountConfigCache;
}

/** How long a receipt or an echo may take the place of a lost response. Counted from the send, also after a restart. */
export const unknownForMs = 2 * 60_000;
export const unknownReason =
  'The connection to the provider was lost while the message was sent. It may have arrived: it was not sent a second time.';

type Place = Pick<OutboundRow, 'accountId' | 'id' | 'sessionId' | 'messageId'>;

/** Null: the message is gone, or the row is already finished. */
async function withMessage<T>(
  { db, clock, accountConfig }: OutcomeDeps,
  { accountId, id, sessionId, messageId }: Place,
  run: (
    tx: Tx,
    context: UpdateContext,
    state: SessionState,
    message: StoredMessage,
    row: OutboundRow,
  ) => Promise<T>,
): Promise<T | null> {
  const { directory } = await accountConfig.fresh(accountId);
  return db.transaction(async (tx) => {
    const { state } = await openSession(tx, accountId, sessionId);
    const message = state && (await findMessage(tx, accountId, sessionId, messageId));
    const row = await lockOutbound(tx, accountId, id);
    if (!state || !message || !row) return null;
    return run(tx, { accountId, now: clock.now(), directory }, state, message, row);
  });
}

/** Returns the parts as they are now; null: there is nothing left to do. */
export async function commitSent(
  deps: OutcomeDeps,
  place: Place,
  index: number,
  sent: SentPart,
): Promise<PlannedPart[] | null> {
  return withMessage(deps, place, (tx, context, state, message, row) =>
    settlePart(tx, context, state, message, row, index, sent),
  );
}

/** In a conversation that is open for writing. A part is settled once, whoever learns of it first. */
export async function settlePart(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  message: StoredMessage,
  row: OutboundRow,
  index: number,
  { providerMsgId, status, notice }: SentPart,
): Promise<PlannedPart[] | null> {
  const { parts } = row;
  const part = parts?.[index];
  if (!parts || !part || row.state === 'sent') return null;
  const hasFailed = row.state === 'failed';
  const isNew = part.state !== 'sent';
  const sentAt = part.startedAt ?? context.now;
  if (isNew) Object.assign(part, { state: 'sent', providerMsgId, startedAt: null });
  const isOver = parts.every((one) => one.state === 'sent');
  if (isNew) {
    const count = parts.length;
    const sent = { index, count, providerMsgId, status, sentAt };
    const { session } = await partSent(tx, context, state, message, sent);
    if (notice !== undefined) await addNotice(tx, context, session, notice);
    // Receipts that came before.
    const { channelId } = row;
    await lockProviderIds(tx, context.accountId, channelId, [providerMsgId]);
    const ids = [providerMsgId, watermarkId(state.externalUserId ?? '')];
    const early = await resumeEarlyItems(tx, context.accountId, channelId, ids);
    await wakeLanes(tx, context.accountId, channelId, early);
  }
  const isAtWork = parts.some((one) => one.state === 'waiting' || one.state === 'sending');
  const outcome = isOver ? 'sent' : hasFailed ? 'failed' : isAtWork ? 'sending' : 'unknown';
  await writeOutcome(
    tx,
    context.accountId,
    row.id,
    {
      state: outcome,
      parts,
      reason: outcome === 'failed' ? row.reason : null,
      keepLease: outcome === 'sending',
      waitMs: outcome === 'unknown' ? unknownWaitMs(parts, context.now) : 0,
    },
    context.now,
  );
  return isOver || hasFailed ? null : parts;
}

/** Until the last part whose response was lost is given up. */
function unknownWaitMs(parts: readonly PlannedPart[], now: number): number {
  const started = parts.map(({ state, startedAt }) => (state === 'unknown' ? (startedAt ?? now) : 0));
  return Math.min(unknownForMs, Math.max(0, ...started.map((at) => at + unknownForMs - now)));
}

/** Every part was tried, and nobody knows whether each was sent. What follows in the session does not wait. */
export async function commitUnknown(deps: OutcomeDeps, place: Place, parts: PlannedPart[]): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const row = await lockOutbound(tx, place.accountId, place.id);
    // An echo may have settled it meanwhile.
    const current = row?.parts?.map((part, index) => (part.state === 'sent' ? part : parts[index]!)) ?? null;
    if (!row || !current || row.state === 'sent' || row.state === 'failed') return;
    const outcome = { state: 'unknown', parts: current, reason: null, keepLease: false } as const;
    await writeOutcome(
      tx,
      place.accountId,
      place.id,
      { ...outcome, waitMs: unknownWaitMs(current, now) },
      now,
    );
  });
}

export async function commitFailed(deps: OutcomeDeps, place: Place, reason: string): Promise<void> {
  const done = await withMessage(deps, place, async (tx, context, state, message, row) => {
    if (row.state === 'sent' || row.state === 'failed') return true;
    const outcome = { state: 'failed', parts: row.parts, reason, keepLease: false } as const;
    await writeOutcome(tx, place.accountId, place.id, outcome, context.now);
    if (row.kind === 'message') await messageFailed(tx, context, state, message, reason);
    return true;
  });
  if (!done) await finish(deps, place, 'failed', reason);
}

/** Without a message to tell about. */
export async function finish(
  { db, clock }: OutcomeDeps,
  { accountId, id }: Place,
  state: 'sent' | 'failed',
  reason: string | null,
): Promise<void> {
  const outcome = { state, parts: null, reason, keepLease: false };
  await db.transaction((tx) => writeOutcome(tx, accountId, id, outcome, clock.now()));
}
