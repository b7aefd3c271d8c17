/** What connectors have sent: each part of a message, with its id at the provider. */
import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface MessagePart {
  part: number;
  providerMsgId: string | null;
  status: MessageStatus | null;
}

/** In order; none for a message that no connector has sent. */
export async function selectParts(tx: Tx, accountId: string, messageId: string): Promise<MessagePart[]> {
  return tx.query<MessagePart>(sql`
    select part, provider_msg_id as "providerMsgId", status from message_parts
    where account_id = ${accountId} and message_id = ${messageId} order by part`);
}

/** Where a part with this id at the provider belongs. */
export async function findSentPart(
  db: Reader,
  accountId: string,
  channelId: string,
  providerMsgId: string,
): Promise<{ sessionId: string; messageId: string } | null> {
  const [row] = await db.query<{ sessionId: string; messageId: string }>(sql`
    select session_id as "sessionId", message_id as "messageId" from message_parts
    where account_id = ${accountId} and channel_id = ${channelId} and provider_msg_id = ${providerMsgId}`);
  return row ?? null;
}

/** Those of the ids that parts of messages have. */
export async function selectLinkedIds(
  db: Reader,
  accountId: string,
  channelId: string,
  providerMsgIds: readonly string[],
): Promise<Set<string>> {
  if (providerMsgIds.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(sql`
    select provider_msg_id as id from message_parts
    where account_id = ${accountId} and channel_id = ${channelId} and provider_msg_id = any(${providerMsgIds}::text[])`);
  return new Set(rows.map(({ id }) => id));
}

/** None of them is linked yet. */
export async function insertParts(
  tx: Tx,
  accountId: string,
  place: { channelId: string; sessionId: string; messageId: string },
  count: number,
): Promise<void> {
  await tx.query(sql`
    insert into message_parts (account_id, channel_id, session_id, message_id, part)
    select ${accountId}::uuid, ${place.channelId}::uuid, ${place.sessionId}::text, ${place.messageId}::uuid, part
    from generate_series(0, ${count - 1}::int) as part
    on conflict do nothing`);
}

/** How many of the latest messages are looked at together. */
const openPageSize = 200;

/**
 * Parts with one of these statuses that were sent until then, in order, of the latest messages before a position. None:
 * the rest of the conversation is done too.
 */
export async function selectOpenParts(
  tx: Tx,
  accountId: string,
  sessionId: string,
  {
    statuses,
    sentUntil,
    before,
  }: { statuses: readonly MessageStatus[]; sentUntil: number; before: number | null },
): Promise<{ position: number; providerMsgId: string }[]> {
  return tx.query<{ position: number; providerMsgId: string }>(sql`
    select m.position, p.provider_msg_id as "providerMsgId"
    from (
      select id, position, created_at from messages
      where account_id = ${accountId} and session_id = ${sessionId}
        and (${before}::bigint is null or position < ${before}::bigint)
      order by position desc limit ${openPageSize}
    ) m
    join message_parts p on p.account_id = ${accountId} and p.message_id = m.id
    where p.provider_msg_id is not null and p.status = any(${statuses}::text[])
      and coalesce(p.sent_at, m.created_at) <= ${sentUntil}::bigint
    order by m.position, p.part`);
}

/** `sentAt` stays as it is where it is left out. */
export async function updatePart(
  tx: Tx,
  accountId: string,
  messageId: string,
  { part, providerMsgId, status }: MessagePart,
  sentAt: number | null = null,
): Promise<void> {
  await tx.query(sql`
    update message_parts set provider_msg_id = ${providerMsgId}, status = ${status},
      sent_at = coalesce(${sentAt}::bigint, sent_at)
    where account_id = ${accountId} and message_id = ${messageId} and part = ${part}`);
}

/** As if these were never sent. */
export async function resetParts(
  tx: Tx,
  accountId: string,
  messageId: string,
  except: readonly number[],
): Promise<void> {
  await tx.query(sql`
    update message_parts set provider_msg_id = null, status = null, sent_at = null
    where account_id = ${accountId} and message_id = ${messageId} and part <> all(${except}::int[])`);
}

export async function deleteParts(tx: Tx, accountId: string, messageId: string): Promise<void> {
  await tx.query(
    sql`delete from message_parts where account_id = ${accountId} and message_id = ${messageId}`,
  );
}
