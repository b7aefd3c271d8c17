/**
 * Everything that a message changes, in one statement: the conversation, its CRM record, the messages, the permission
 * to reply with its job, and the events with their deliveries. They commit together or not at all.
 */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Tx } from '../../platform/db/db.ts';
import { join, type Sql, sql } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { expediteJob, insertJob, wakeWorkers } from '../../platform/jobs/jobs.ts';
import { type ContactChange, contactParts } from '../contacts/contacts.ts';
import { endTranscriptWait, permitReplies } from '../pending-replies/pending-replies.ts';
import { recordInsert } from '../records/records.ts';
import {
  insertAiPause,
  insertSessionChange,
  linkRecord,
  type SessionChange,
  type SessionState,
  searchTextOf,
  writeSession,
} from '../sessions/sessions.ts';
import { outboundRow, wakeOutbound } from './messages.outbound.sql.ts';
import { insertMessages, type NewMessage } from './messages.sql.ts';
import { convertJobKind, transcribeJobKind, transcriptWaitMs, type VoiceWork } from './messages.voice.ts';
import { cancelByReply } from './outgoing/messages.scheduled.sql.ts';

interface ReplyRequest {
  messageId: string;
  position: number;
  agentId: string;
  delayMs: number;
  /** The network address of a visitor of the widget, whose replies are limited. */
  address: string | null;
}

export interface ConversationChange {
  session: SessionState;
  isNewSession: boolean;
  messages: NewMessage[];
  /** A record that is created for the session. */
  record: CrmRecord | null;
  /** An existing record that becomes the session's. */
  linkedRecordId?: string;
  /** The conversation begins with the AI paused by an operator; the event is among `events`. */
  aiPause?: SessionState | null;
  /** What becomes known about the person. */
  contact?: ContactChange | null;
  /** Requests a reply to this message. */
  reply: ReplyRequest | null;
  /** Audio work on one of the messages; its reply waits for the transcript. */
  voice?: VoiceWork | null;
  /** Sent by the channel's connector: one of the messages. */
  outboundMessageId?: string | null;
  /** The customer has written: scheduled messages that wait for nothing else are cancelled. */
  cancelsScheduled?: boolean;
  /** Of its status; the event is among `events`. */
  sessionChange?: SessionChange | null;
  events: FrozenEvent[];
  /** In a batch: the trace of its message. */
  traceparent?: string | null;
  /** Of the definitions used; null: none were. */
  definitionsVersion: number | null;
}

export const replyJobKind = jobKind('ai-reply');

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
  if (change.contact) parts.push(...contactParts(accountId, change.contact, sql`session_row`));
  if (record) {
    parts.push(
      sql`new_record as (${recordInsert([record])} where exists (select from session_row) returning id)`,
    );
    parts.push(
      sql`session_record as (${linkRecord(accountId, session.sessionId, record.kanbanId, sql`select id from new_record`)})`,
    );
  }
  if (change.linkedRecordId) {
    const card = sql`select ${change.linkedRecordId}::uuid where exists (select from session_row)`;
    parts.push(sql`linked_record as (${linkRecord(accountId, session.sessionId, session.kanbanId, card)})`);
  }
  if (change.aiPause) {
    parts.push(sql`pause as (${insertAiPause(accountId, change.aiPause, false, sql`session_row`)})`);
  }
  parts.push(
    sql`change as (${insertMessages(accountId, session.sessionId, change.messages, sql`session_row`)})`,
  );
  if (change.sessionChange) {
    const entry = insertSessionChange(accountId, session.sessionId, change.sessionChange, sql`session_row`);
    parts.push(sql`session_change as (${entry})`);
  }
  if (change.cancelsScheduled) {
    parts.push(sql`cancelled as (${cancelByReply(accountId, session.sessionId, sql`session_row`)})`);
  }
  if (change.outboundMessageId) {
    const { channelId, sessionId, updatedAt: now } = session;
    const toSend = { channelId, sessionId, messageId: change.outboundMessageId, now };
    parts.push(sql`outbound as (${outboundRow(accountId, toSend, sql`session_row`)})`);
    wakeOutbound(tx);
  }
  const voice = change.voice ?? null;
  if (voice) {
    parts.push(...voiceJobs(accountId, session.sessionId, voice, reply?.delayMs ?? 0));
    wakeWorkers(tx);
  }
  if (reply) {
    const awaitsTranscript = voice?.transcribe === true && voice.messageId === reply.messageId;
    const delayMs = awaitsTranscript ? transcriptWaitMs : reply.delayMs;
    parts.push(sql`permission as (
      ${permitReplies(
        accountId,
        sql`
          select ${session.sessionId}::text, ${reply.position}::bigint, ${reply.messageId}::uuid, ${reply.agentId}::uuid,
            now() + make_interval(secs => ${delayMs / 1000}::float8), ${awaitsTranscript}::boolean,
            ${reply.address}::text
          where exists (select from session_row)`,
      )})`);
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
    wakeWorkers(tx, replyJobKind);
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
  const delayMs = await endTranscriptWait(tx, accountId, place);
  if (delayMs !== null) {
    await expediteJob(tx, { accountId, kind: replyJobKind, dedupeKey: place.sessionId, delayMs });
  }
}
