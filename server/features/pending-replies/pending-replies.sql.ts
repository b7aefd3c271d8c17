import { limits } from '../../../contract/limits.ts';
import {
  type GuardRule,
  guardRules,
  type HandoverReason,
  type LoggedReply,
  type ToolCall,
} from '../../../contract/messaging/messages.ts';
import { tableOf } from '../../platform/db/columns.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { StoredCitation } from '../knowledge/knowledge.ts';
import { cancelToolCalls } from './tool-calls.sql.ts';

export interface PendingReply {
  position: number;
  messageId: string;
  agentId: string;
  /** Its batch window has passed, its transcript exists or has been waited for long enough. */
  due: boolean;
  awaitsTranscript: boolean;
  waitMs: number;
}

/**
 * Part of a larger statement. `rows` is a select of session_id, position, message_id, agent_id, not_before,
 * awaits_transcript and address.
 */
export function permitReplies(accountId: string, rows: Sql): Sql {
  return sql`
    insert into pending_replies (account_id, session_id, position, message_id, agent_id, not_before,
      awaits_transcript, address)
    select ${accountId}::uuid, r.session_id, r.position, r.message_id, r.agent_id, r.not_before, r.awaits_transcript,
      r.address
    from (${rows}) as r (session_id, position, message_id, agent_id, not_before, awaits_transcript, address)`;
}

/** In the order of the conversation. */
export async function selectPendingReplies(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<PendingReply[]> {
  return db.query<PendingReply>(sql`
    select position, message_id as "messageId", agent_id as "agentId", not_before <= now() and not r."isAtWork" as due,
      awaits_transcript as "awaitsTranscript",
      greatest(case when r."isAtWork" then ${ruleLookMs} else 0 end,
        ceil(extract(epoch from not_before - now()) * 1000))::int as "waitMs"
    from pending_replies, lateral ${rulesAtWork(accountId, sessionId)} r
    where account_id = ${accountId} and session_id = ${sessionId} order by position`);
}

/** How often a reply looks whether it still waits for rules. */
const ruleLookMs = 50;

/** A rule of the message may pause the AI: a reply waits until its rules have ended or wait themselves, but not for long. */
const rulesAtWork = (accountId: string, sessionId: string) => sql`(
  select exists (select from automation_causes c
    where c.account_id = ${accountId} and c.subject = ${`s:${sessionId}`} and c.is_open and c.type in ('message', 'session_change')
      and c.at > (extract(epoch from clock_timestamp()) * 1000)::bigint - ${limits.automation.replyWaitMs}) as "isAtWork")`;

/** Takes the permissions that are still there, and returns their messages: a pause, a transfer or a block took the others. */
export async function takePermissions(
  tx: Tx,
  accountId: string,
  of: readonly { sessionId: string; messageId: string }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ message_id: string }>(sql`
    delete from pending_replies p
    using unnest(${of.map((one) => one.sessionId)}::text[], ${of.map((one) => one.messageId)}::uuid[])
      as g (session_id, message_id)
    where p.account_id = ${accountId} and p.session_id = g.session_id and p.message_id = g.message_id
    returning p.message_id`);
  return new Set(rows.map((row) => row.message_id));
}

/** After messages from this position on have moved. The conversation is locked. */
export async function realignReplies(
  tx: Tx,
  accountId: string,
  sessionId: string,
  from: number,
): Promise<void> {
  // The position is part of the key, so they step aside first.
  await tx.query(sql`
    update pending_replies set position = -position
    where account_id = ${accountId} and session_id = ${sessionId} and position >= ${from}`);
  await tx.query(sql`
    update pending_replies p set position = m.position from messages m
    where p.account_id = ${accountId} and p.session_id = ${sessionId} and p.position < 0
      and m.account_id = p.account_id and m.id = p.message_id`);
}

/** For a tool: it acts only while the reply it belongs to may still be made. */
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

/** The agent that the conversation went to answers instead. */
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

/** From now on the reply waits for its batch window only. Returns for how long; null: the reply is gone. */
export async function endTranscriptWait(
  tx: Tx,
  accountId: string,
  { sessionId, messageId, batchWindowMs }: { sessionId: string; messageId: string; batchWindowMs: number },
): Promise<number | null> {
  const [row] = await tx.query<{ wait_ms: number }>(sql`
    update pending_replies p set awaits_transcript = false,
      not_before = greatest(now(), to_timestamp((m.created_at + ${batchWindowMs}::bigint) / 1000.0))
    from messages m
    where p.account_id = ${accountId} and p.session_id = ${sessionId} and p.message_id = ${messageId}
      and m.account_id = p.account_id and m.id = p.message_id
    returning (extract(epoch from p.not_before - now()) * 1000)::int as wait_ms`);
  return row?.wait_ms ?? null;
}

interface TakenPermission {
  messageId: string;
  agentId: string;
}

/** Takes the permission to reply away from everything unanswered; each leaves a line in the log. */
export async function suppressReplies(
  tx: Tx,
  accountId: string,
  sessionId: string,
  reason: string,
  now: number,
  exceptMessageId: string | null = null,
): Promise<void> {
  const taken = await tx.query<TakenPermission>(sql`
    delete from pending_replies
    where account_id = ${accountId} and session_id = ${sessionId}
      and message_id is distinct from ${exceptMessageId}::uuid
    returning message_id as "messageId", agent_id as "agentId"`);
  await logSuppressed(tx, accountId, sessionId, taken, reason, now);
  await cancelToolCalls(tx, accountId, sql`${sessionId}`);
}

/**
 * Replies that were not committed when the block is are never made; each leaves a line in the log. `key` is that of the
 * block list, `value` the identifier.
 */
export async function suppressRepliesTo(
  tx: Tx,
  accountId: string,
  { contactIds, key, value }: { contactIds: readonly string[]; key: string; value: string },
  now: number,
): Promise<void> {
  const taken = await tx.query<TakenPermission & { sessionId: string }>(sql`
    delete from pending_replies p using sessions s, channels c
    where p.account_id = ${accountId} and s.account_id = p.account_id and s.session_id = p.session_id
      and c.account_id = s.account_id and c.id = s.channel_id
      and (s.contact_id = any(${contactIds}::uuid[]) or (s.contact_key = ${value} and ${key}::text
        = case when c.type in ('web', 'chatbot') then c.type || ':' else '' end || s.contact_key))
    returning p.session_id as "sessionId", p.message_id as "messageId", p.agent_id as "agentId"`);
  await cancelToolCalls(
    tx,
    accountId,
    sql`select s.session_id from sessions s, channels c
      where s.account_id = ${accountId} and c.account_id = s.account_id and c.id = s.channel_id and (s.contact_id = any(${contactIds}::uuid[]) or (s.contact_key = ${value}
        and ${key}::text = case when c.type in ('web', 'chatbot') then c.type || ':' else '' end || s.contact_key))`,
  );
  for (const { sessionId, ...one } of taken) {
    await logSuppressed(tx, accountId, sessionId, [one], 'contact blocked', now);
  }
}

export async function logSuppressed(
  tx: Tx,
  accountId: string,
  sessionId: string,
  taken: readonly TakenPermission[],
  reason: string,
  now: number,
): Promise<void> {
  for (const { messageId, agentId } of taken) {
    await tx.query(sql`
      insert into reply_log (account_id, id, session_id, message_id, agent_id, outcome, reason, created_at)
      values (${accountId}, ${newId(now)}, ${sessionId}, ${messageId}, ${agentId}, 'suppressed', ${reason}, ${now})`);
  }
}

/** What became of a message that asked for a reply. */
export interface ReplyLogEntry {
  at: number;
  sessionId: string;
  messageId: string;
  replyId: string | null;
  agentId: string;
  outcome: 'sent' | 'held' | 'failed' | 'merged';
  reason: string | null;
  provider: string | null;
  model: string | null;
  agentVersion: number;
  inputTokens: number | null;
  outputTokens: number | null;
  latencyMs: number | null;
  /** In US dollars. */
  cost: number | null;
  toolCalls: ToolCall[] | null;
  /** The rules of the guard that the text breaks. Null: it was not checked. */
  heldBy: GuardRule[] | null;
  /** What the agent was given, and what its reply used. Null: nothing. */
  retrieved: StoredCitation[] | null;
  citations: StoredCitation[] | null;
  /** Null: no person was asked for. */
  handoverReason: HandoverReason | null;
}

const entryColumns = tableOf<ReplyLogEntry>(
  {
    at: ['created_at', 'bigint'],
    sessionId: ['session_id', 'text'],
    messageId: ['message_id', 'uuid'],
    replyId: ['reply_id', 'uuid'],
    agentId: ['agent_id', 'uuid'],
    outcome: ['outcome', 'text'],
    reason: ['reason', 'text'],
    provider: ['provider', 'text'],
    model: ['model', 'text'],
    inputTokens: ['input_tokens', 'int'],
    outputTokens: ['output_tokens', 'int'],
    latencyMs: ['latency_ms', 'int'],
    agentVersion: ['agent_version', 'int'],
    cost: ['cost', 'float8'],
    toolCalls: ['tool_calls', 'jsonb'],
    heldBy: ['held_by', 'text[]'],
    retrieved: ['retrieved', 'jsonb'],
    citations: ['citations', 'jsonb'],
    handoverReason: ['handover_reason', 'text'],
  },
  [{ name: 'id', type: 'uuid', value: ({ at }) => newId(at) }],
);

/** Part of a larger statement: logged if `from` has a row. */
export function logReplies(accountId: string, entries: readonly ReplyLogEntry[], from: Sql): Sql {
  return sql`
    insert into reply_log (account_id, ${entryColumns.names})
    select ${accountId}::uuid, ${entryColumns.names} from ${entryColumns.rows(entries)}
    where exists (select from ${from})`;
}

export interface PastReply {
  sessionId: string;
  messageId: string;
  replyId: string | null;
  agentId: string;
  agentVersion: number | null;
  outcome: string;
  reason: string | null;
  provider: string | null;
  latencyMs: number | null;
  citations: StoredCitation[];
  handoverReason: HandoverReason | null;
  at: number;
}

/** For a past that is filled in, many at once. */
export async function insertPastReplies(
  tx: Tx,
  accountId: string,
  replies: readonly PastReply[],
): Promise<void> {
  const rows = replies.map((reply) => ({ ...reply, id: newId(reply.at) }));
  await tx.query(sql`
    insert into reply_log (account_id, id, session_id, message_id, reply_id, agent_id, agent_version, outcome, reason,
      provider, latency_ms, retrieved, citations, handover_reason, created_at)
    select ${accountId}::uuid, r.id, r."sessionId", r."messageId", r."replyId", r."agentId", r."agentVersion", r.outcome,
      r.reason, r.provider, r."latencyMs", r.citations, r.citations, r."handoverReason", r.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, "sessionId" text, "messageId" uuid,
      "replyId" uuid, "agentId" uuid, "agentVersion" int, outcome text, reason text, provider text, "latencyMs" int, citations jsonb, "handoverReason" text, at bigint)`);
}

/** Whether one could not be made since. */
export async function hasFailedReply(
  db: Reader,
  accountId: string,
  sessionId: string,
  since: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    select from reply_log where account_id = ${accountId} and session_id = ${sessionId} and outcome = 'failed'
      and created_at >= ${since} limit 1`);
  return rows.length > 0;
}

/** As long as the log keeps them. */
export async function countRepliesOf(
  db: Db,
  accountId: string,
  sessionId: string,
  agentId: string,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from reply_log
    where account_id = ${accountId} and session_id = ${sessionId} and agent_id = ${agentId}
      and outcome in ('sent', 'held')`);
  return row!.count;
}

/** In US dollars, of the replies whose price was known. */
export async function costOfAgent(
  db: Db,
  accountId: string,
  agentId: string,
  since: number,
): Promise<number> {
  const [row] = await db.query<{ cost: number }>(sql`
    select coalesce(sum(cost), 0) as cost from reply_log
    where account_id = ${accountId} and created_at >= ${since} and agent_id = ${agentId}
      and outcome in ('sent', 'held', 'failed')`);
  return row!.cost;
}

export interface StoredReply extends LoggedReply {
  retrieved: StoredCitation[];
  citations: StoredCitation[];
}

export async function selectReplyLog(
  db: Db,
  accountId: string,
  sessionId: string,
  { before, replyId, limit }: { before: string | null; replyId: string | null; limit: number },
): Promise<StoredReply[]> {
  return db.query<StoredReply>(sql`
    select id, message_id as "messageId", reply_id as "replyId", agent_id as "agentId", outcome, reason, provider, model,
      input_tokens as "inputTokens", output_tokens as "outputTokens", latency_ms as "latencyMs",
      agent_version as "agentVersion",
      case when cost is not null then json_build_object('amount', cost, 'currency', 'USD') end as cost,
      coalesce(tool_calls, '[]') as "toolCalls",
      (select coalesce(json_agg(json_build_object('rule', g.rule, 'held', g.rule = any(held_by)) order by g.place), '[]')
        from unnest(${guardRules}::text[]) with ordinality as g (rule, place) where held_by is not null) as guard,
      coalesce(retrieved, '[]') as retrieved, coalesce(citations, '[]') as citations,
      case when handover_reason is not null then json_build_object('reason', handover_reason) end as handover,
      created_at as "createdAt"
    from reply_log
    where account_id = ${accountId} and session_id = ${sessionId} and (${before}::uuid is null or id < ${before}::uuid)
      and (${replyId}::text is null or reply_id::text = ${replyId})
    order by id desc limit ${limit}`);
}
