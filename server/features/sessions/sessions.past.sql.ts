/** Conversations that are filled in with their past, or removed with it, many at once. Their rules are kept by the caller. */
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { SessionState } from './sessions.sql.ts';

const long = { timeoutMs: 60_000 };

export async function insertPastSessions(
  tx: Tx,
  accountId: string,
  sessions: readonly (SessionState & { searchText: string })[],
): Promise<void> {
  await tx.query(sql`
    insert into sessions (account_id, session_id, session_name, channel_id, external_user_id, contact_key, agent_id,
      kanban_id, record_id, ai_paused, needs_attention, unread, last_message_at, created_at, updated_at,
      message_count, event_sequence, search_text, status, snoozed_until, status_changed_at, status_changed_by, label_ids,
      waiting_since)
    select ${accountId}::uuid, s."sessionId", s."sessionName", s."channelId", s."externalUserId", s."contactKey",
      s."agentId", s."kanbanId", s."recordId", s."aiPaused", s."needsAttention", s.unread, s."lastMessageAt",
      s."createdAt", s."updatedAt", s."messageCount", s."eventSequence", s."searchText",
      s.status, s."snoozedUntil", s."statusChangedAt", s."statusChangedBy", s."labelIds", s."waitingSince"
    from json_to_recordset(${JSON.stringify(sessions)}::json) as s ("sessionId" text, "sessionName" text,
      "channelId" uuid, "externalUserId" text, "contactKey" text, "agentId" uuid, "kanbanId" uuid, "recordId" uuid,
      "aiPaused" boolean, "needsAttention" boolean, unread int, "lastMessageAt" bigint, "createdAt" bigint,
      "updatedAt" bigint, "messageCount" bigint, "eventSequence" int, "searchText" text, status text,
      "snoozedUntil" bigint, "statusChangedAt" bigint, "statusChangedBy" jsonb, "labelIds" uuid[], "waitingSince" bigint)`);
  await tx.query(sql`
    insert into session_records (account_id, session_id, kanban_id, record_id)
    select account_id, session_id, kanban_id, record_id from sessions
    where account_id = ${accountId} and session_id = any(${sessions.map((one) => one.sessionId)})
      and record_id is not null`);
}

export interface PastPause {
  sessionId: string;
  sequence: number;
  at: number;
  paused: boolean;
  byAgent: boolean;
}

/** What reports keep of pauses longer than events are kept. */
export async function insertPastPauses(
  tx: Tx,
  accountId: string,
  pauses: readonly PastPause[],
): Promise<void> {
  await tx.query(sql`
    insert into ai_pauses (account_id, session_id, sequence, at, paused, by_agent)
    select ${accountId}::uuid, p."sessionId", p.sequence, p.at, p.paused, p."byAgent"
    from json_to_recordset(${JSON.stringify(pauses)}::json) as p ("sessionId" text, sequence int, at bigint,
      paused boolean, "byAgent" boolean)`);
}

/** Messages, permissions to reply and the log of replies go with their conversation. */
export async function eraseSessions(tx: Tx, accountId: string, sessionIds: readonly string[]): Promise<void> {
  await tx.query(
    sql`delete from sessions where account_id = ${accountId} and session_id = any(${sessionIds})`,
    long,
  );
}

/** Agents and boards that are about to go: their conversations go back to where the channel begins. */
export async function returnSessions(
  tx: Tx,
  accountId: string,
  { kanbanIds, agentIds }: { kanbanIds: string[]; agentIds: string[] },
): Promise<void> {
  await tx.query(sql`
    update sessions s set
      agent_id = case when s.agent_id = any(${agentIds}::uuid[]) then c.default_agent_id else s.agent_id end,
      kanban_id = case when s.kanban_id = any(${kanbanIds}::uuid[])
        then (select id from kanbans where account_id = ${accountId} and is_default) else s.kanban_id end,
      record_id = case when s.kanban_id = any(${kanbanIds}::uuid[]) then null else s.record_id end
    from channels c
    where s.account_id = ${accountId} and c.account_id = s.account_id and c.id = s.channel_id
      and (s.agent_id = any(${agentIds}::uuid[]) or s.kanban_id = any(${kanbanIds}::uuid[]))`);
  await tx.query(sql`
    delete from session_records where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])`);
}
