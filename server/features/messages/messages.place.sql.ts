/** Messages that came late get their place among those that are there. */
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { realignReplies } from '../pending-replies/pending-replies.ts';

/**
 * Puts the conversation's last message before the one with the id, in the transaction that stored it, so that nobody
 * has seen it anywhere else. Those behind move by one; live clients get their new positions. It takes the time of the
 * one that it precedes, so that times do not go backwards in a list.
 */
export async function placeBefore(
  tx: Tx,
  accountId: string,
  { sessionId, messageId }: { sessionId: string; messageId: string },
  nextId: string,
): Promise<void> {
  const [next] = await tx.query<{ position: number; created_at: number }>(sql`
    select position, created_at from messages
    where account_id = ${accountId} and session_id = ${sessionId} and id = ${nextId}`);
  if (!next) return;
  // The position is part of the key, so they step aside first.
  await tx.query(sql`
    update messages set position = -position
    where account_id = ${accountId} and session_id = ${sessionId} and position >= ${next.position}`);
  await tx.query(sql`
    update messages set
      position = case when id = ${messageId} then ${next.position}::bigint else 1 - position end,
      created_at = case when id = ${messageId} then ${next.created_at}::bigint else created_at end
    where account_id = ${accountId} and session_id = ${sessionId} and position < 0`);
  await realignReplies(tx, accountId, sessionId, next.position);
}

/** Null: the conversation has no message with this id of the provider. */
export async function findByProvider(
  tx: Pick<Tx, 'query'>,
  accountId: string,
  sessionId: string,
  providerMsgId: string,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from messages
    where account_id = ${accountId} and session_id = ${sessionId} and provider_msg_id = ${providerMsgId}
    union all
    select message_id from message_parts
    where account_id = ${accountId} and session_id = ${sessionId} and provider_msg_id = ${providerMsgId}
    limit 1`);
  return row?.id ?? null;
}
