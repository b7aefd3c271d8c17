/** The outgoing half of a channel's log, and sending again what failed. */
import type { Tx } from '../../../platform/db/db.ts';
import {
  findMessage,
  resetDelivery,
  selectParts,
  type UpdateContext,
  wakeOutbound,
} from '../../messages/messages.ts';
import { openSession } from '../../sessions/sessions.ts';
import { findOutbound, lockOutbound } from './connectors.outbound.sql.ts';
import { requeueOutbound } from './connectors.outbound-log.sql.ts';

/** False: it has not failed. Null: there is no such entry. Parts that were sent are not sent again. */
export async function retryOutbound(
  tx: Tx,
  context: UpdateContext,
  channelId: string,
  id: string,
): Promise<boolean | null> {
  const { accountId, now } = context;
  const found = await findOutbound(tx, accountId, id);
  if (found?.channelId !== channelId) return null;
  const { state } = await openSession(tx, accountId, found.sessionId);
  const message = state && (await findMessage(tx, accountId, found.sessionId, found.messageId));
  const row = await lockOutbound(tx, accountId, id);
  if (!state || !message || !row) return null;
  const isReported = row.kind === 'message' && row.state === 'sent' && message.status === 'failed';
  if (row.state !== 'failed' && !isReported) return false;
  const failed = new Set(
    (await selectParts(tx, accountId, message.id)).flatMap((one) =>
      one.status === 'failed' ? one.part : [],
    ),
  );
  const keptParts = (row.parts ?? []).flatMap((part, index) =>
    part.state === 'sent' && !failed.has(index) ? index : [],
  );
  const parts =
    row.parts?.map((part, index) =>
      keptParts.includes(index)
        ? part
        : { ...part, state: 'waiting' as const, startedAt: null, providerMsgId: null },
    ) ?? null;
  if (row.kind === 'message') await resetDelivery(tx, context, state, message, { keptParts });
  await requeueOutbound(tx, accountId, id, keptParts.length > 0 ? parts : null, now);
  wakeOutbound(tx);
  return true;
}
