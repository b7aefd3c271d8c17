/**
 * What the connector of a channel has to send, written in the transaction that commits it. The connectors' worker reads
 * it: nothing else here knows how a message reaches its provider.
 */
import type { Db, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { currentTrace } from '../../platform/telemetry/tracing.ts';

interface ToSend {
  channelId: string;
  sessionId: string;
  messageId: string;
  /** Of a reaction: null removes it. Left out: the message itself is sent. */
  emoji?: string | null;
  now: number;
}

/** Part of a larger statement: inserted only if `source` has a row. The conversation is locked. */
export function outboundRow(accountId: string, toSend: ToSend, source: Sql): Sql {
  const { channelId, sessionId, messageId, emoji, now } = toSend;
  const traceparent = currentTrace();
  return sql`
    insert into connector_outbound (account_id, id, channel_id, session_id, kind, message_id, emoji, created_at, updated_at
      ${traceparent === null ? empty : sql`, traceparent`})
    select ${accountId}::uuid, ${newId(now)}::uuid, ${channelId}::uuid, ${sessionId}::text,
      ${emoji === undefined ? 'message' : 'reaction'}::text, ${messageId}::uuid, ${emoji ?? null}::text, ${now}::bigint,
      ${now}::bigint ${traceparent === null ? empty : sql`, ${traceparent}::text`}
    where exists (select from ${source})`;
}

export async function queueOutbound(tx: Tx, accountId: string, toSend: ToSend): Promise<void> {
  await tx.query(outboundRow(accountId, toSend, sql`(select 1) always`));
  wakeOutbound(tx);
}

const outboundWork = 'outbound messages';

export function onOutbound(db: Db, wake: () => void): () => void {
  return db.onWake(outboundWork, wake);
}

/** After the commit: the sending worker of this process and database, if there is one, before its next look. */
export function wakeOutbound(tx: Tx): void {
  tx.wake(outboundWork);
}
