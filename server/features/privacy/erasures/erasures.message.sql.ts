/** What is kept of one message besides its row. Each statement can be repeated. */
import type { Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** It goes over thousands of rows. */
const long = { timeoutMs: 60_000 };

export interface DeletedMessage {
  messageId: string;
  sessionId: string;
  channelId: string;
  providerMsgId: string | null;
  /** When it was written. */
  createdAt: number;
  deletedAt: number;
}

/** What would still send it, answer it or show its text: at once, with the text. Returns keys of files. */
export async function deleteUses(tx: Tx, accountId: string, message: DeletedMessage): Promise<string[]> {
  const { messageId, sessionId, channelId, providerMsgId, createdAt } = message;
  const isNamed = sql`account_id = ${accountId} and message_id = ${messageId}`;
  await tx.query(sql`delete from pending_replies where ${isNamed} and session_id = ${sessionId}`);
  await tx.query(sql`delete from tool_calls where ${isNamed}`);
  // A case has the messages before the one that it is named after.
  await tx.query(sql`
    delete from agent_test_cases where account_id = ${accountId} and session_id = ${sessionId}`);
  await tx.query(sql`
    delete from agent_test_results where account_id = ${accountId} and session_id = ${sessionId}`);
  await tx.query(sql`delete from connector_outbound where ${isNamed}`);
  await tx.query(sql`
    delete from early_receipts
    where account_id = ${accountId} and session_id = ${sessionId} and provider_msg_id = ${providerMsgId}`);
  await tx.query(sql`
    delete from jobs j where j.account_id = ${accountId} and exists (
      select from jsonb_path_query(j.payload, '$.**') v where jsonb_typeof(v) = 'string' and v #>> '{}' = ${messageId})`);
  await tx.query(sql`
    delete from notifications
    where account_id = ${accountId} and subject_id = ${sessionId} and updated_at >= ${createdAt}`);
  await tx.query(sql`
    update reply_log set reason = null, tool_calls = null, retrieved = null, citations = null
    where account_id = ${accountId} and session_id = ${sessionId} and ${messageId} in (message_id, reply_id)`);
  // An edit that waits has the text too.
  await tx.query(sql`
    delete from connector_items
    where account_id = ${accountId} and channel_id = ${channelId} and provider_msg_id = ${providerMsgId}
      and type = 'edited' and state in ('waiting', 'early')`);
  const isItem = sql`account_id = ${accountId} and channel_id = ${channelId}`;
  await tx.query(sql`
    update connector_items set summary = '', item = case when state in ('waiting', 'early') then item end
    where ${isItem} and provider_msg_id = ${providerMsgId}`);
  await tx.query(sql`
    update connector_items set summary = '', item = null
    where ${isItem} and session_id = ${sessionId} and state = 'done' and type = 'message' and message_id = ${messageId}`);
  // The ids of the mail stay, so that an answer to it is found.
  const mails = await tx.query<{ key: string | null }>(sql`
    with before as (select original_key from mail_messages where ${isNamed}),
    cleared as (
      update mail_messages set original_key = null, headers = headers || '{"subject": ""}'::jsonb where ${isNamed})
    select original_key as key from before`);
  return mails.flatMap(({ key }) => key ?? []);
}

/** A batch of the events since then, in the order of their ids. The one that tells of the deletion stays. */
export async function deleteEventsOfMessage(
  tx: Tx,
  accountId: string,
  { messageId, sessionId, createdAt, deletedAt }: DeletedMessage,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from events where account_id = ${accountId} and id = any(array(
      select id from events
      where account_id = ${accountId} and created_at between ${createdAt} and ${deletedAt}
        and subject_id = ${sessionId} and strpos(body, ${messageId}) > 0
        and strpos(body, ${`"deletedAt":${deletedAt}`}) = 0
      limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}

/** What the test receiver of webhooks got. */
export async function deleteReceived(tx: Tx, accountId: string, messageId: string): Promise<void> {
  await tx.query(
    sql`delete from webhook_inbox_requests where account_id = ${accountId} and strpos(body, ${messageId}) > 0`,
    long,
  );
}
