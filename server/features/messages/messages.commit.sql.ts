/**
 * Everything that a message changes, in one statement: the conversation, its CRM record, the messages, the permission
 * to reply with its job, and the events with their deliveries. They commit together or not at all.
 */
import type { CrmRecord } from '../../../contract/records.ts';
import type { Tx } from '../../platform/db/db.ts';
import { join, type Sql, sql } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { expediteJob, insertJob, wakeWorkers } from '../../platform/jobs/jobs.ts';
import { recordInsert } from '../records/records.ts';
import { type SessionState, searchTextOf, writeSession } from '../sessions/sessions.ts';
import { insertMessages, type NewMessage } from './messages.sql.ts';
import { convertJobKind, transcribeJobKind, transcriptWaitMs, type VoiceWork } from './messages.voice.ts';

export interface ConversationChange {
  session: SessionState;
  isNewSession: boolean;
  messages: NewMessage[];
  /** A record that is created for the session. */
  record: CrmRecord | null;
  /** Requests a reply to this message. */
  reply: { messageId: string; position: number; agentId: string; delayMs: number } | null;
  /** Audio work on one of the messages; its reply waits for the transcript. */
  voice?: VoiceWork | null;
  events: FrozenEvent[];
  /** Of the definitions used; null: none were. */
  definitionsVersion: number | null;
}

export const replyJobKind = 'ai-reply';

/** Fails with a conflict if the definitions have changed meanwhile: the transaction is then retried. */
export async function commitConversation(
  tx: Tx,
  accountId: string,
  change: ConversationChange,
): Promise<void> {
  const { session, record, reply, definitionsVersion } = change;
  const parts: Sql[] = [];
  const from = definitionsVersion === null ? sql`(select 1) current` : sql`current`;
  if (definitionsVersion !== null) {
    parts.push(
      sql`current as (select 1 where require_current_definitions(${accountId}, ${definitionsVersion}))`,
    );
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
  const voice = change.voice ?? null;
  if (voice) {
    parts.push(...voiceJobs(accountId, session.sessionId, voice, reply?.delayMs ?? 0));
    tx.afterCommit(wakeWorkers);
  }
  if (reply) {
    const awaitsTranscript = voice?.transcribe === true && voice.messageId === reply.messageId;
    const delayMs = awaitsTranscript ? transcriptWaitMs : reply.delayMs;
    parts.push(sql`permission as (
      insert into pending_replies (account_id, session_id, position, message_id, agent_id, not_before,
        awaits_transcript)
      select ${accountId}::uuid, ${session.sessionId}::text, ${reply.position}::bigint, ${reply.messageId}::uuid,
        ${reply.agentId}::uuid, now() + make_interval(secs => ${delayMs / 1000}::float8),
        ${awaitsTranscript}::boolean
      where exists (select from session_row))`);
    parts.push(
      sql`job as (${insertJob(
        {
          accountId,
          kind: replyJobKind,
          payload: { sessionId: session.sessionId },
          dedupeKey: session.sessionId,
          delayMs,
        },
        sql`session_row`,
      )})`,
    );
    tx.afterCommit(wakeWorkers);
  }
  if (change.events.length > 0) parts.push(insertEvents(tx, change.events, 'change'));
  await tx.queryLast(sql`with ${join(parts, ', ')} select 1 from change limit 1`);
}

function voiceJobs(
  accountId: string,
  sessionId: string,
  { messageId, convert, transcribe, awaitedEventId }: VoiceWork,
  batchWindowMs: number,
): Sql[] {
  const place = { sessionId, messageId };
  const job = (kind: string, payload: object) =>
    insertJob({ accountId, kind, payload: { ...place, ...payload } }, sql`session_row`);
  return [
    ...(convert ? [sql`convert_job as (${job(convertJobKind, { awaitedEventId })})`] : []),
    ...(transcribe ? [sql`transcribe_job as (${job(transcribeJobKind, { batchWindowMs })})`] : []),
  ];
}

/**
 * The transcript is ready: the reply waits no longer than its batch window. Called under the conversation's lock, so
 * that a reply job that is about to end either sees this or is seen.
 */
export async function endWaitForTranscript(
  tx: Tx,
  accountId: string,
  place: { sessionId: string; messageId: string; batchWindowMs: number },
): Promise<void> {
  const { sessionId, messageId, batchWindowMs } = place;
  const rows = await tx.query<{ wait_ms: number }>(sql`
    update pending_replies p set awaits_transcript = false,
      not_before = greatest(now(), to_timestamp((m.created_at + ${batchWindowMs}::bigint) / 1000.0))
    from messages m
    where p.account_id = ${accountId} and p.session_id = ${sessionId} and p.message_id = ${messageId}
      and m.account_id = p.account_id and m.id = p.message_id
    returning (extract(epoch from p.not_before - now()) * 1000)::int as wait_ms`);
  const waitMs = rows[0]?.wait_ms;
  if (waitMs !== undefined) {
    await expediteJob(tx, { accountId, kind: replyJobKind, dedupeKey: sessionId, delayMs: waitMs });
  }
}
