/** The statements that remove what is too old, in one place. Each does one batch and can be repeated. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** It goes over thousands of rows. */
const long = { timeoutMs: 60_000 };

/** The conversations of the oldest messages; none: nothing is old enough. */
export async function selectOldSessions(
  db: Reader,
  accountId: string,
  before: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`
    select distinct session_id as id from (
      select session_id from messages where account_id = ${accountId} and id < ${before}::uuid
      order by id limit ${limit}) m`,
    long,
  );
  return rows.map(({ id }) => id);
}

/** A batch of a conversation's old messages, with what only they need. Returns the keys of their files. */
export async function deleteOldMessages(
  tx: Tx,
  accountId: string,
  sessionId: string,
  before: string,
  limit: number,
): Promise<{ ids: string[]; fileKeys: string[] }> {
  const rows = await tx.query<{ id: string; keys: string[] }>(
    sql`
    delete from messages where account_id = ${accountId} and session_id = ${sessionId} and position = any(array(
      select position from messages
      where account_id = ${accountId} and session_id = ${sessionId} and id < ${before}::uuid
      order by position limit ${limit}))
    returning id, attachment_file_keys(attachments) as keys`,
    long,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return { ids, fileKeys: [] };
  const isNamed = sql`account_id = ${accountId} and message_id = any(${ids}::uuid[])`;
  const mails = await tx.query<{ key: string | null }>(sql`
    delete from mail_messages where ${isNamed} returning original_key as key`);
  await tx.query(sql`delete from message_parts where ${isNamed}`);
  await tx.query(sql`delete from connector_outbound where ${isNamed}`);
  await tx.query(sql`delete from pending_replies where ${isNamed} and session_id = ${sessionId}`);
  await tx.query(sql`delete from tool_calls where ${isNamed}`);
  await tx.query(sql`
    delete from agent_test_cases where account_id = ${accountId} and session_id = ${sessionId}`);
  await tx.query(sql`
    delete from agent_test_results where account_id = ${accountId} and session_id = ${sessionId}`);
  const keys = [...rows.flatMap((row) => row.keys), ...mails.flatMap(({ key }) => key ?? [])];
  return { ids, fileKeys: [...new Set(keys)] };
}

/** Whether the conversation has anything that keeps it. */
export async function hasContent(db: Reader, accountId: string, sessionId: string): Promise<boolean> {
  const ofSession = sql`account_id = ${accountId} and session_id = ${sessionId}`;
  const [row] = await db.query<{ has: boolean }>(sql`
    select exists (select from messages where ${ofSession})
      or exists (select from scheduled_messages where ${ofSession}) as has`);
  return row!.has;
}

/** What was counted over the removed messages: the unread ones, and the figures of reports, which are made again. */
export async function correctCounts(tx: Tx, accountId: string, sessionId: string): Promise<void> {
  const ofSession = sql`account_id = ${accountId} and session_id = ${sessionId}`;
  await tx.query(sql`
    update sessions s set unread = m.left from (
      select count(*)::int as left from messages where ${ofSession} and role = 'user') m
    where ${ofSession} and s.unread > m.left`);
  await tx.query(sql`delete from conversation_figures where ${ofSession}`);
}

/** In the order of their ids; `last` is null at the end. */
export async function deleteOldAudit(
  tx: Tx,
  accountId: string,
  before: string,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from audit_log where account_id = ${accountId} and id = any(array(
      select id from audit_log where account_id = ${accountId} and id < ${before}::uuid order by id limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}

export async function deleteOldReplyLog(
  tx: Tx,
  accountId: string,
  before: string,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from reply_log where account_id = ${accountId} and id = any(array(
      select id from reply_log where account_id = ${accountId} and id < ${before}::uuid order by id limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}
