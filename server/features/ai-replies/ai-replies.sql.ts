import type { LoggedReply } from '../../../contract/messages.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { Card } from './ai-replies.fields.ts';

export interface PendingReply {
  position: number;
  messageId: string;
  agentId: string;
  /** Its batch window has passed, and its transcript is ready or has timed out. */
  due: boolean;
  awaitsTranscript: boolean;
  waitMs: number;
}

/** In the order of the conversation. */
export async function selectPendingReplies(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<PendingReply[]> {
  return db.query<PendingReply>(sql`
    select position, message_id as "messageId", agent_id as "agentId", not_before <= now() as due,
      awaits_transcript as "awaitsTranscript",
      greatest(0, ceil(extract(epoch from not_before - now()) * 1000))::int as "waitMs"
    from pending_replies where account_id = ${accountId} and session_id = ${sessionId} order by position`);
}

/** Takes the remaining permissions; missing ones were revoked by a pause, a transfer or a block. */
export async function takePermissions(
  tx: Tx,
  accountId: string,
  sessionId: string,
  messageIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ message_id: string }>(sql`
    delete from pending_replies
    where account_id = ${accountId} and session_id = ${sessionId} and message_id = any(${messageIds}::uuid[])
    returning message_id`);
  return rows.map((row) => row.message_id);
}

export interface ReplyAdmission {
  /** Null: the reply may be made. */
  refusedBy: 'visitor' | 'account' | null;
  limit: number;
}

/** Counts the reply to these messages once, however often it is asked for. */
export async function admitAiReply(
  db: Db,
  accountId: string,
  of: { sessionId: string; messageIds: readonly string[]; day: string; visitorLimit: number },
): Promise<ReplyAdmission> {
  const [row] = await db.query<ReplyAdmission>(sql`
    select refused_by as "refusedBy", limit_of as limit
    from admit_ai_reply(${accountId}, ${of.sessionId}, ${of.messageIds}::uuid[], ${of.day}::date, ${of.visitorLimit})`);
  return row!;
}

/** The reply failed: it does not count. Before `takePermissions`, which deletes the mark. */
export async function giveReplyBack(
  tx: Tx,
  accountId: string,
  sessionId: string,
  messageIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    with counted as (
      select counted_on from pending_replies
      where account_id = ${accountId} and session_id = ${sessionId} and message_id = any(${messageIds}::uuid[])
        and counted_on is not null
      order by position limit 1 for update)
    update ai_reply_usage u set replies = greatest(0, u.replies - 1)
    where u.account_id = ${accountId} and u.day = (select counted_on from counted)`);
}

/** Under the conversation's lock nobody adds one, so a job that ends on this condition leaves none behind. */
export const nothingPending = (accountId: string, sessionId: string): Sql => sql`
  not exists (select from pending_replies p where p.account_id = ${accountId} and p.session_id = ${sessionId})`;

/** For a tool: it acts only while its reply may still be made. */
export async function hasPermission(
  tx: Tx,
  accountId: string,
  sessionId: string,
  messageId: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from pending_replies
    where account_id = ${accountId} and session_id = ${sessionId} and message_id = ${messageId} for update`);
  return rows.length > 0;
}

/** The conversation's new agent answers instead. */
export async function passPermission(
  tx: Tx,
  accountId: string,
  sessionId: string,
  messageId: string,
  agentId: string,
): Promise<void> {
  await tx.query(sql`
    update pending_replies set agent_id = ${agentId}
    where account_id = ${accountId} and session_id = ${sessionId} and message_id = ${messageId}`);
}

/** The conversation's card, and those it left on other boards. */
export async function selectCards(db: Reader, accountId: string, sessionId: string): Promise<Card[]> {
  return db.query<Card>(sql`
    select r.kanban_id as "kanbanId", r.custom_fields as "customFields" from records r
    where r.account_id = ${accountId} and r.id in (
      select record_id from sessions where account_id = ${accountId} and session_id = ${sessionId}
      union select record_id from session_records where account_id = ${accountId} and session_id = ${sessionId})`);
}

export interface ReplyLogEntry {
  sessionId: string;
  messageId: string;
  replyId: string | null;
  agentId: string;
  outcome: 'sent' | 'held' | 'failed' | 'merged';
  reason: string | null;
  provider: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  latencyMs: number | null;
}

export function insertReplyLog(tx: Tx, accountId: string, entry: ReplyLogEntry, now: number): void {
  tx.send(sql`
    insert into reply_log (account_id, id, session_id, message_id, reply_id, agent_id, outcome, reason, provider, model,
      input_tokens, output_tokens, latency_ms, created_at)
    values (${accountId}, ${newId(now)}, ${entry.sessionId}, ${entry.messageId}, ${entry.replyId}, ${entry.agentId},
      ${entry.outcome}, ${entry.reason}, ${entry.provider}, ${entry.model}, ${entry.inputTokens},
      ${entry.outputTokens}, ${entry.latencyMs}, ${now})`);
}

export async function selectReplyLog(
  db: Db,
  accountId: string,
  sessionId: string,
  before: string | null,
  limit: number,
): Promise<LoggedReply[]> {
  return db.query<LoggedReply>(sql`
    select id, message_id as "messageId", reply_id as "replyId", agent_id as "agentId", outcome, reason, provider, model,
      input_tokens as "inputTokens", output_tokens as "outputTokens", latency_ms as "latencyMs",
      created_at as "createdAt"
    from reply_log
    where account_id = ${accountId} and session_id = ${sessionId} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`);
}
