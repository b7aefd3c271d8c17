/** Messages that are filled in with a conversation's past, many at once. Their rules are kept by the caller. */
import type { Message } from '../../../contract/messaging/messages.ts';
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { StoredCitation } from '../knowledge/knowledge.ts';

export interface PastMessage {
  sessionId: string;
  id: string;
  position: number;
  role: Message['role'];
  content: string;
  at: number;
  isNote: boolean;
  held: boolean;
  status: Message['status'];
  reactions: string[];
  agentId: string | null;
  operator: { id: string; name: string } | null;
  inReplyTo: string | null;
  citations: StoredCitation[];
}

export async function insertPastMessages(
  tx: Tx,
  accountId: string,
  messages: readonly PastMessage[],
): Promise<void> {
  const rows = messages.map(({ operator, citations, ...message }) => ({
    ...message,
    citations: citations.length === 0 ? null : citations,
    operatorId: operator?.id ?? null,
    operatorName: operator?.name ?? null,
  }));
  await tx.query(sql`
    insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at, is_note, held,
      status, reactions, agent_id, operator_id, operator_name, in_reply_to, citations)
    select ${accountId}::uuid, m."sessionId", m.position, m.id, m.role, m.content, m.at, m.at, m."isNote", m.held,
      m.status, m.reactions, m."agentId", m."operatorId", m."operatorName", m."inReplyTo", m.citations
    from json_to_recordset(${JSON.stringify(rows)}::json) as m ("sessionId" text, position bigint, id uuid, role text,
      content text, at bigint, "isNote" boolean, held boolean, status text, reactions text[], "agentId" uuid,
      "operatorId" text, "operatorName" text, "inReplyTo" uuid, citations jsonb)`);
}
