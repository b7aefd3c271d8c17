import type { Message } from '../../../contract/messaging/messages.ts';
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface FoundRow {
  id: string;
  sessionId: string;
  role: Message['role'];
  content: string;
  transcripts: string | null;
  createdAt: number;
  isNote: boolean;
  held: boolean;
  agentId: string | null;
  agentName: string | null;
  operatorId: string | null;
  operatorName: string | null;
  sessionName: string | null;
  externalUserId: string | null;
  channelId: string;
  channelType: string;
  kanbanId: string;
}

/** One page of messages with what a list shows of their conversations, by id. */
export async function selectFound(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, FoundRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<FoundRow>(sql`
    select m.id, m.session_id as "sessionId", m.role, m.content, m.created_at as "createdAt", m.is_note as "isNote", m.held,
      case when m.attachments <> '[]' then (select string_agg(f -> 'transcript' ->> 'text', E'\\n')
        from jsonb_array_elements(m.attachments) f) end as transcripts,
      m.agent_id as "agentId", a.name as "agentName", m.operator_id as "operatorId", m.operator_name as "operatorName",
      s.session_name as "sessionName", s.external_user_id as "externalUserId", s.channel_id as "channelId",
      c.type as "channelType", s.kanban_id as "kanbanId"
    from messages m
    join sessions s on s.account_id = m.account_id and s.session_id = m.session_id
    join channels c on c.account_id = s.account_id and c.id = s.channel_id
    left join agents a on a.account_id = m.account_id and a.id = m.agent_id
    where m.account_id = ${accountId} and m.id = any(${ids}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function selectSessionIdsOfContact(
  db: Reader,
  accountId: string,
  contactKey: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select session_id as id from sessions where account_id = ${accountId} and contact_key = ${contactKey}`);
  return rows.map(({ id }) => id);
}
