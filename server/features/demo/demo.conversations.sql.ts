/** Writes conversations as rows, many at once. The planner guarantees what the rules of messages would. */
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { newId } from '../../platform/ids.ts';
import { searchTextOf } from '../sessions/sessions.ts';
import type { DemoConversation } from './demo.conversations.ts';

const rowsAtATime = 500;

export async function insertConversations(
  tx: Tx,
  accountId: string,
  conversations: readonly DemoConversation[],
): Promise<void> {
  for (const some of inParts(conversations.map((one) => one.session))) {
    const rows = some.map((session) => ({ ...session, searchText: searchTextOf(session) }));
    await tx.query(sql`
      insert into sessions (account_id, session_id, session_name, channel_id, external_user_id, contact_key, agent_id,
        kanban_id, record_id, ai_paused, needs_attention, unread, last_message_at, created_at, updated_at,
        message_count, event_sequence, search_text)
      select ${accountId}::uuid, s."sessionId", s."sessionName", s."channelId", s."externalUserId", s."contactKey",
        s."agentId", s."kanbanId", s."recordId", s."aiPaused", s."needsAttention", s.unread, s."lastMessageAt",
        s."createdAt", s."updatedAt", s."messageCount", s."eventSequence", s."searchText"
      from json_to_recordset(${JSON.stringify(rows)}::json) as s ("sessionId" text, "sessionName" text,
        "channelId" uuid, "externalUserId" text, "contactKey" text, "agentId" uuid, "kanbanId" uuid, "recordId" uuid,
        "aiPaused" boolean, "needsAttention" boolean, unread int, "lastMessageAt" bigint, "createdAt" bigint,
        "updatedAt" bigint, "messageCount" bigint, "eventSequence" int, "searchText" text)`);
    await tx.query(sql`
      insert into session_records (account_id, session_id, kanban_id, record_id)
      select account_id, session_id, kanban_id, record_id from sessions
      where account_id = ${accountId} and session_id = any(${some.map((one) => one.sessionId)})
        and record_id is not null`);
  }
  const messages = conversations.flatMap(({ session, messages: said }) =>
    said.map((message) => ({ ...message, sessionId: session.sessionId })),
  );
  for (const some of inParts(messages)) {
    const rows = some.map(({ operator, ...message }) => ({
      ...message,
      operatorId: operator?.id ?? null,
      operatorName: operator?.name ?? null,
    }));
    await tx.query(sql`
      insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at, is_note, held,
        status, reactions, agent_id, operator_id, operator_name, in_reply_to)
      select ${accountId}::uuid, m."sessionId", m.position, m.id, m.role, m.content, m.at, m.at, m."isNote", m.held,
        m.status, m.reactions, m."agentId", m."operatorId", m."operatorName", m."inReplyTo"
      from json_to_recordset(${JSON.stringify(rows)}::json) as m ("sessionId" text, position bigint, id uuid, role text,
        content text, at bigint, "isNote" boolean, held boolean, status text, reactions text[], "agentId" uuid,
        "operatorId" text, "operatorName" text, "inReplyTo" uuid)`);
  }
  const replies = conversations.flatMap(({ session, replies: made }) =>
    made.map((reply) => ({
      ...reply,
      id: newId(reply.at),
      sessionId: session.sessionId,
      agentId: session.agentId,
      provider: reply.outcome === 'suppressed' ? null : 'offline',
    })),
  );
  for (const some of inParts(replies)) {
    await tx.query(sql`
      insert into reply_log (account_id, id, session_id, message_id, reply_id, agent_id, outcome, reason, provider,
        latency_ms, created_at)
      select ${accountId}::uuid, r.id, r."sessionId", r."messageId", r."replyId", r."agentId", r.outcome, r.reason,
        r.provider, r."latencyMs", r.at
      from json_to_recordset(${JSON.stringify(some)}::json) as r (id uuid, "sessionId" text, "messageId" uuid,
        "replyId" uuid, "agentId" uuid, outcome text, reason text, provider text, "latencyMs" int, at bigint)`);
  }
  await insertPauses(tx, accountId, conversations);
}

/** What reports keep of pauses longer than events are kept. */
async function insertPauses(
  tx: Tx,
  accountId: string,
  conversations: readonly DemoConversation[],
): Promise<void> {
  const rows = conversations.flatMap(({ session: { sessionId, agentId }, pauses }) =>
    pauses.map(({ at, aiPaused, changedBy, sequence }) => ({
      sessionId,
      sequence,
      at,
      paused: aiPaused,
      byAgent: changedBy === agentId,
    })),
  );
  for (const some of inParts(rows)) {
    await tx.query(sql`
      insert into ai_pauses (account_id, session_id, sequence, at, paused, by_agent)
      select ${accountId}::uuid, p."sessionId", p.sequence, p.at, p.paused, p."byAgent"
      from json_to_recordset(${JSON.stringify(some)}::json) as p ("sessionId" text, sequence int, at bigint,
        paused boolean, "byAgent" boolean)`);
  }
}

export async function insertPastEvents(tx: Tx, events: readonly FrozenEvent[]): Promise<void> {
  for (const some of inParts(events)) {
    await tx.query(
      sql`with change as (select 1), ${insertEvents(tx, some, 'change')} select from new_events`,
    );
  }
}

function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let i = 0; i < items.length; i += rowsAtATime) yield items.slice(i, i + rowsAtATime);
}
