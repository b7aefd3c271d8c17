/**
 * Everything that messages change, in one statement: their conversations, CRM records, the messages, the permissions to
 * reply with their jobs, and the events with their deliveries. They commit together or not at all.
 */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { tableOf } from '../../platform/db/columns.ts';
import type { Tx } from '../../platform/db/db.ts';
import { Sql, sql, withParts } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { newId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { expediteJob, insertJob, insertJobsOf, wakeWorkers } from '../../platform/jobs/jobs.ts';
import { currentTrace } from '../../platform/telemetry/tracing.ts';
import { type ContactChange, contactParts } from '../contacts/contacts.ts';
import {
  endTranscriptWait,
  logReplies,
  permitReplies,
  type ReplyLogEntry,
} from '../pending-replies/pending-replies.ts';
import { recordInsert } from '../records/records.ts';
import {
  insertAiPause,
  insertSessionChange,
  insertSessions,
  linkRecord,
  type SessionChange,
  type SessionState,
  updateSessions,
} from '../sessions/sessions.ts';
import { finishItems, outboundRow, wakeOutbound } from './messages.connectors.sql.ts';
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
  /** The conversation as it was found, if the change knows it. */
  before?: SessionState | null;
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
  /** What became of messages that asked for a reply. */
  answered?: readonly ReplyLogEntry[];
  /** Audio work on one of the messages; its reply waits for the transcript. */
  voice?: VoiceWork | null;
  /** Sent by the channel's connector: one of the messages. */
  outboundMessageId?: string | null;
  /** The connector's item that one of the messages came as: it is done. */
  item?: { id: string; messageId: string } | null;
  /** The customer has written: scheduled messages that wait for nothing else are cancelled. */
  cancelsScheduled?: boolean;
  /** Of its status; the event is among `events`. */
  sessionChange?: SessionChange | null;
  events: FrozenEvent[];
  /** Left out: that of the code that commits it. */
  traceparent?: string | null;
}

export const replyJobKind = jobKind('ai-reply');

/**
 * What was said in conversations of one account, which are locked and named once each. Fails with a conflict if the
 * definitions have another version: the transaction is then retried. Null: no definitions were used.
 */
export async function commitConversations(
  tx: Tx,
  accountId: string,
  changes: readonly ConversationChange[],
  definitionsVersion: number | null,
): Promise<void> {
  const begun = changes.flatMap(({ isNewSession, session }) => (isNewSession ? [session] : []));
  const known = changes.filter(({ isNewSession }) => !isNewSession);
  const said = changes.flatMap(({ session: { sessionId }, messages }) =>
    messages.map((message) => ({ ...message, sessionId })),
  );
  const isCurrent = sql`exists (select from current)`;
  const parts = [
    definitionsVersion === null
      ? sql`current as (select 1)`
      : sql`current as (select 1 where require_current_definitions(${accountId}, ${definitionsVersion}))`,
  ];
  if (begun.length > 0) {
    parts.push(sql`begun as (${insertSessions(accountId, begun)} where ${isCurrent} returning 1)`);
  }
  if (known.length > 0) {
    parts.push(sql`known as (${updateSessions(accountId, known)} and ${isCurrent} returning 1)`);
  }
  const from = begun.length > 0 ? sql`begun` : sql`known`;
  parts.push(sql`change as (${insertMessages(accountId, said, from)})`);
  parts.push(...replyParts(accountId, changes, from));
  parts.push(...itemParts(accountId, changes, from));
  const answered = changes.flatMap((change) => change.answered ?? []);
  if (answered.length > 0) parts.push(sql`answered as (${logReplies(accountId, answered, from)})`);
  for (const [index, part] of changes.flatMap((change) => rareParts(accountId, change, from)).entries()) {
    parts.push(sql`${partName(index)} as (${part})`);
  }
  const events = changes.flatMap((change) => change.events);
  if (events.length > 0) parts.push(insertEvents(tx, events, 'change'));
  if (changes.some(({ reply }) => reply)) wakeWorkers(tx, replyJobKind);
  if (changes.some(({ voice }) => voice)) wakeWorkers(tx);
  if (changes.some(({ outboundMessageId }) => outboundMessageId)) wakeOutbound(tx);
  await tx.query(sql`${withParts(parts)} select 1 from change limit 1`);
}

/** Names cannot be parameters. Only a change that is committed alone has such parts, so there are few statements. */
const partNames: Sql[] = [];

function partName(index: number): Sql {
  partNames[index] ??= new Sql([`part_${index}`], []);
  return partNames[index];
}

/** The permissions to reply, and the jobs that make the replies. */
function replyParts(accountId: string, changes: readonly ConversationChange[], from: Sql): Sql[] {
  const rows = changes.flatMap((change) => replyRow(change) ?? []);
  if (rows.length === 0) return [];
  return [
    sql`asked as materialized (select * from ${replies.rows(rows)} where exists (select from ${from}))`,
    sql`permission as (${permitReplies(
      accountId,
      sql`
        select session_id, position, message_id, agent_id, now() + make_interval(secs => delay_s), awaits_transcript,
          address
        from asked`,
    )})`,
    sql`reply_job as (${insertJobsOf(
      accountId,
      replyJobKind,
      sql`(select job_id as id, payload, session_id as dedupe_key, delay_s from asked) wanted`,
    )})`,
  ];
}

interface ReplyRow extends Omit<ReplyRequest, 'delayMs'> {
  sessionId: string;
  delaySeconds: number;
  awaitsTranscript: boolean;
  jobId: string;
  payload: object;
}

const replies = tableOf<ReplyRow>({
  sessionId: ['session_id', 'text'],
  position: ['position', 'bigint'],
  messageId: ['message_id', 'uuid'],
  agentId: ['agent_id', 'uuid'],
  address: ['address', 'text'],
  delaySeconds: ['delay_s', 'float8'],
  awaitsTranscript: ['awaits_transcript', 'boolean'],
  jobId: ['job_id', 'uuid'],
  payload: ['payload', 'jsonb'],
});

function replyRow({
  session,
  reply,
  voice,
  traceparent = currentTrace(),
}: ConversationChange): ReplyRow | null {
  if (!reply) return null;
  const { delayMs, ...asked } = reply;
  const { sessionId } = session;
  const awaitsTranscript = voice?.transcribe === true && voice.messageId === reply.messageId;
  return {
    ...asked,
    sessionId,
    delaySeconds: (awaitsTranscript ? transcriptWaitMs : delayMs) / 1000,
    awaitsTranscript,
    jobId: newId(),
    payload: { sessionId, ...(traceparent !== null && { traceparent }) },
  };
}

function itemParts(accountId: string, changes: readonly ConversationChange[], from: Sql): Sql[] {
  const done = changes.flatMap(({ item, session: { sessionId, updatedAt: at } }) =>
    item ? [{ ...item, sessionId, at }] : [],
  );
  return done.length > 0 ? [sql`items as (${finishItems(accountId, done, from)})`] : [];
}

/** What a message changes beside its conversation. */
function rareParts(accountId: string, change: ConversationChange, from: Sql): Sql[] {
  const { session, record, linkedRecordId, aiPause, contact, outboundMessageId } = change;
  const { sessionId } = session;
  const parts: Sql[] = [];
  if (contact) parts.push(...contactParts(accountId, contact, from));
  if (record) {
    parts.push(sql`${recordInsert([record])} where exists (select from ${from})`);
    parts.push(linkRecord(accountId, sessionId, record.kanbanId, record.recordId, from));
  }
  if (linkedRecordId) parts.push(linkRecord(accountId, sessionId, session.kanbanId, linkedRecordId, from));
  if (aiPause) parts.push(insertAiPause(accountId, aiPause, false, from));
  if (change.sessionChange) parts.push(insertSessionChange(accountId, sessionId, change.sessionChange, from));
  if (change.cancelsScheduled) parts.push(cancelByReply(accountId, sessionId, from));
  if (outboundMessageId) {
    const { channelId, updatedAt: now } = session;
    parts.push(outboundRow(accountId, { channelId, sessionId, messageId: outboundMessageId, now }, from));
  }
  if (change.voice)
    parts.push(...voiceJobs(accountId, sessionId, change.voice, change.reply?.delayMs ?? 0, from));
  return parts;
}

function voiceJobs(
  accountId: string,
  sessionId: string,
  { messageId, convert, transcribe, awaitedEventId }: VoiceWork,
  batchWindowMs: number,
  from: Sql,
): Sql[] {
  const place = { sessionId, messageId };
  const job = (kind: string, payload: object) =>
    insertJob({ accountId, kind, payload: { ...place, ...payload } }, from);
  return [
    ...(convert ? [job(convertJobKind, { awaitedEventId })] : []),
    ...(transcribe ? [job(transcribeJobKind, { batchWindowMs })] : []),
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
