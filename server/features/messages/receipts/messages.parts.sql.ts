/** Messages that their provider has in several parts. */
import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface MessagePart {
  part: number;
  providerMsgId: string | null;
  status: MessageStatus | null;
}

/** In order; none for a message of one part. */
export async function selectParts(tx: Tx, accountId: string, messageId: string): Promise<MessagePart[]> {
  return tx.query<MessagePart>(sql`
    select part, provider_msg_id as "providerMsgId", status from message_parts
    where account_id = ${accountId} and message_id = ${messageId} order by part`);
}

export async function findPartsMessageId(
  tx: Tx,
  accountId: string,
  sessionId: string,
  providerMsgId: string,
): Promise<string | null> {
  const [row] = await tx.query<{ message_id: string }>(sql`
    select message_id from message_parts
    where account_id = ${accountId} and session_id = ${sessionId} and provider_msg_id = ${providerMsgId}`);
  return row?.message_id ?? null;
}

/** None of them is linked yet. */
export async function insertParts(
  tx: Tx,
  accountId: string,
  { sessionId, messageId, count }: { sessionId: string; messageId: string; count: number },
): Promise<void> {
  await tx.query(sql`
    insert into message_parts (account_id, session_id, message_id, part)
    select ${accountId}::uuid, ${sessionId}::text, ${messageId}::uuid, part
    from generate_series(0, ${count - 1}::int) as part
    on conflict do nothing`);
}

export async function updatePart(
  tx: Tx,
  accountId: string,
  messageId: string,
  { part, providerMsgId, status }: MessagePart,
): Promise<void> {
  await tx.query(sql`
    update message_parts set provider_msg_id = ${providerMsgId}, status = ${status}
    where account_id = ${accountId} and message_id = ${messageId} and part = ${part}`);
}

export async function deleteParts(tx: Tx, accountId: string, messageId: string): Promise<void> {
  await tx.query(
    sql`delete from message_parts where account_id = ${accountId} and message_id = ${messageId}`,
  );
}
