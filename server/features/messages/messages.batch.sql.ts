/**
 * Many conversations of one account that each get one more message, of their customer or of an agent: the same as
 * commitConversation for each of them, in one statement. All of it is one document, because arrays would be escaped element by element.
 */
import type { Tx } from '../../platform/db/db.ts';
import { empty, join, sql } from '../../platform/db/sql.ts';
import { insertEvents } from '../../platform/events/outbox.ts';
import { newId } from '../../platform/ids.ts';
import { insertJobsOf, wakeWorkers } from '../../platform/jobs/jobs.ts';
import { permitReplies } from '../pending-replies/pending-replies.ts';
import { advanceSessions, searchTextOf } from '../sessions/sessions.ts';
import { type ConversationChange, replyJobKind } from './messages.commit.sql.ts';
import type { NewMessage } from './messages.sql.ts';

/** Only for what stays where it is: no new conversation, no record, no files, one message. */
export async function commitPlain(
  tx: Tx,
  accountId: string,
  changes: readonly ConversationChange[],
  definitionsVersion: number,
): Promise<void> {
  const isTraced = changes.some(({ traceparent }) => traceparent);
  const isOfProvider = changes.some(({ messages }) => isProviders(messages[0]!));
  const payload = isTraced
    ? sql`jsonb_strip_nulls(jsonb_build_object('sessionId', session_id, 'traceparent', traceparent))`
    : sql`jsonb_build_object('sessionId', session_id)`;
  const parts = [
    sql`current as (select 1 where require_current_definitions(${accountId}, ${definitionsVersion}))`,
    sql`given as materialized (
      select * from json_to_recordset(${JSON.stringify(changes.map(rowOf))}::json) as g (session_id text,
        session_name text, external_user_id text, contact_key text, unread int, message_count bigint,
        event_sequence int, search_text text, window_closes_at bigint, message_id uuid, content text, sent_at bigint, is_echo boolean,
        agent_id uuid, address text, delay_s float8, job_id uuid, role text, author_id uuid, in_reply_to uuid
          ${isTraced ? sql`, traceparent text` : empty}${isOfProvider ? sql`, provider_msg_id text, data jsonb` : empty}))`,
    sql`session_row as (
      ${advanceSessions(accountId, sql`given`)} and exists (select from current) returning 1)`,
    sql`change as (
      insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at, is_echo,
        agent_id, in_reply_to ${isOfProvider ? sql`, provider_msg_id, data` : empty})
      select ${accountId}::uuid, session_id, message_count, message_id, role, content, sent_at, sent_at,
        coalesce(is_echo, false), author_id, in_reply_to ${isOfProvider ? sql`, provider_msg_id, data` : empty}
      from given where exists (select from session_row)
      returning id)`,
    sql`permission as (
      ${permitReplies(
        accountId,
        sql`
          select session_id, message_count, message_id, agent_id, now() + make_interval(secs => delay_s), false,
            address
          from given where agent_id is not null and exists (select from session_row)`,
      )})`,
    sql`job as (${insertJobsOf(
      accountId,
      replyJobKind,
      sql`(select job_id as id, ${payload} as payload, session_id as dedupe_key,
        delay_s from given where agent_id is not null and exists (select from session_row)) wanted`,
    )})`,
  ];
  const events = changes.flatMap((change) => change.events);
  if (events.length > 0) parts.push(insertEvents(tx, events, 'change'));
  if (changes.some(({ reply }) => reply)) wakeWorkers(tx, replyJobKind);
  await tx.queryLast(sql`with ${join(parts, ', ')} select 1 from change limit 1`);
}

const isProviders = ({ providerMsgId, data }: NewMessage) =>
  providerMsgId !== undefined || data !== undefined;

function rowOf({ session, messages, reply, traceparent }: ConversationChange) {
  const [message] = messages;
  return {
    session_id: session.sessionId,
    session_name: session.sessionName,
    external_user_id: session.externalUserId,
    contact_key: session.contactKey,
    unread: session.unread,
    message_count: session.messageCount,
    event_sequence: session.eventSequence,
    search_text: searchTextOf(session),
    window_closes_at: session.windowClosesAt,
    message_id: message!.id,
    content: message!.content,
    sent_at: message!.timestamp,
    is_echo: message!.isEcho,
    role: message!.role,
    ...(message!.agentId && { author_id: message!.agentId, in_reply_to: message!.inReplyTo }),
    ...(reply && {
      agent_id: reply.agentId,
      address: reply.address,
      delay_s: reply.delayMs / 1000,
      job_id: newId(),
    }),
    ...(traceparent && { traceparent }),
    ...(isProviders(message!) && { provider_msg_id: message!.providerMsgId, data: message!.data }),
  };
}
