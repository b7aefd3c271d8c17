/**
 * What a message shares with the connector of its channel, written in the statement of the message: the item that it came
 * as, and its send. The connectors' workers do the rest: nothing else here knows how messages come and go.
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

/** An item of a connector that is one message, of a customer who has a conversation. */
export interface InboundItem {
  id: string;
  channelId: string;
  sessionId: string;
  providerMsgId: string;
  /** In the provider's order. */
  place: number;
}

/**
 * Locks those that are waiting, come last in the provider's order and that nothing waits for. Returns their ids: the
 * message of another one must be stored alone. It waits for nobody.
 */
export async function lockFreeItems(
  tx: Tx,
  accountId: string,
  items: readonly InboundItem[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select i.id from unnest(${items.map((one) => one.id)}::uuid[], ${items.map((one) => one.channelId)}::uuid[],
        ${items.map((one) => one.sessionId)}::text[], ${items.map((one) => one.providerMsgId)}::text[],
        ${items.map((one) => one.place)}::float8[]) as a (id, channel_id, session_id, provider_msg_id, place)
      join connector_items i on i.account_id = ${accountId} and i.id = a.id
    where i.state = 'waiting'
      and not exists (select from connector_items n
        where n.account_id = ${accountId} and n.channel_id = a.channel_id and n.session_id = a.session_id
          and n.state = 'done' and n.type = 'message' and n.place > a.place and n.message_id is not null)
      and not exists (select from connector_items e
        where e.account_id = ${accountId} and e.channel_id = a.channel_id
          and e.provider_msg_id = a.provider_msg_id and e.state = 'early')
    for update of i skip locked`);
  return new Set(rows.map(({ id }) => id));
}

/** Part of a larger statement: those that were locked are done if `source` has a row. */
export function finishItems(
  accountId: string,
  done: readonly { id: string; sessionId: string; messageId: string; at: number }[],
  source: Sql,
): Sql {
  return sql`
    update connector_items i set state = 'done', reason = null, session_id = s.session_id, message_id = s.message_id,
      done_at = s.at, item = null
    from unnest(${done.map(({ id }) => id)}::uuid[], ${done.map(({ sessionId }) => sessionId)}::text[],
      ${done.map(({ messageId }) => messageId)}::uuid[], ${done.map(({ at }) => at)}::bigint[])
      as s (id, session_id, message_id, at)
    where i.account_id = ${accountId} and i.id = s.id and exists (select from ${source})`;
}
