/**
 * Everything that a message changes, in one statement: the conversation, its CRM record, the messages, the permission
 * to reply with its job, and the events with their deliveries. They commit together or not at all.
 */
import type { Record } from '../../../contract/records.ts';
import type { Tx } from '../../platform/db.ts';
import { insertJob, wakeWorkers } from '../../platform/jobs.ts';
import { type FrozenEvent, insertEvents } from '../../platform/outbox.ts';
import { join, type Sql, sql } from '../../platform/sql.ts';
import { recordInsert } from '../records/records.ts';
import { type SessionState, searchTextOf, writeSession } from '../sessions/sessions.ts';
import { insertMessages, type NewMessage } from './messages.sql.ts';

export interface ConversationChange {
  session: SessionState;
  isNewSession: boolean;
  messages: NewMessage[];
  /** A record that is created for the session. */
  record: Record | null;
  /** Asks for a reply to this message. */
  reply: { messageId: string; position: number; agentId: string; delayMs: number } | null;
  events: FrozenEvent[];
  /** Of the definitions that were used; null: none were. */
  definitionsVersion: number | null;
}

export const replyJobKind = 'ai-reply';

/** False: the definitions have changed meanwhile, nothing was written. */
export async function commitConversation(
  tx: Tx,
  accountId: string,
  change: ConversationChange,
): Promise<boolean> {
  const { session, record, reply, definitionsVersion } = change;
  const parts: Sql[] = [];
  const from = definitionsVersion === null ? sql`(select 1) current` : sql`current`;
  if (definitionsVersion !== null) {
    parts.push(sql`current as (select 1 where definitions_are_current(${accountId}, ${definitionsVersion}))`);
  }
  const where = change.isNewSession
    ? sql`where exists (select from ${from})`
    : sql`and exists (select from ${from})`;
  parts.push(sql`session_row as (
    ${writeSession(accountId, session, change.isNewSession, searchTextOf(session))} ${where} returning 1)`);
  if (record) {
    parts.push(
      sql`new_record as (${recordInsert(record.accountId, [record])} where exists (select from session_row) returning id)`,
    );
    parts.push(sql`session_record as (
      insert into session_records (account_id, session_id, kanban_id, record_id)
      select ${accountId}::uuid, ${session.sessionId}::text, ${record.kanbanId}::uuid, id from new_record
      on conflict (account_id, session_id, kanban_id) do update set record_id = excluded.record_id)`);
  }
  parts.push(
    sql`change as (${insertMessages(accountId, session.sessionId, change.messages, sql`session_row`)})`,
  );
  if (reply) {
    parts.push(sql`permission as (
      insert into pending_replies (account_id, session_id, position, message_id, agent_id, not_before)
      select ${accountId}::uuid, ${session.sessionId}::text, ${reply.position}::bigint, ${reply.messageId}::uuid,
        ${reply.agentId}::uuid, now() + make_interval(secs => ${reply.delayMs / 1000}::float8)
      where exists (select from session_row))`);
    parts.push(
      sql`job as (${insertJob(
        {
          accountId,
          kind: replyJobKind,
          payload: { sessionId: session.sessionId },
          dedupeKey: session.sessionId,
          delayMs: reply.delayMs,
        },
        sql`session_row`,
      )})`,
    );
    tx.afterCommit(wakeWorkers);
  }
  if (change.events.length > 0) parts.push(insertEvents(tx, change.events, 'change'));
  const rows = await tx.queryLast(sql`with ${join(parts, ', ')} select 1 from change limit 1`);
  return rows.length > 0;
}
