/** Messages that wait for their time. A row is deleted in the transaction that sends or cancels it. */

import type { Role } from '../../../../contract/limits.ts';
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import type { ScheduledMessage } from '../../../../contract/messaging/scheduled.ts';
import type { Permission } from '../../../../contract/roles/permissions.ts';
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../../platform/db/sql.ts';
import { insertLiveChanges } from '../../../platform/events/live-changes.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { hasJob } from '../../../platform/jobs/jobs.ts';
import { isActive } from '../../../platform/jobs/suspended.ts';

export interface ScheduledRow extends ScheduledMessage {
  attachments: MessageAttachment[];
  /** Who hears of a failure. */
  userId: string | null;
}

const columns = sql`id, session_id as "sessionId", send_at as "sendAt", content, attachments, template, mail,
  reply_to_message_id as "replyToMessageId", cancel_on_reply as "cancelOnReply", pause_ai as "pauseAi",
  json_build_object('id', author_id, 'name', author_name) as author, scheduled_by as "scheduledBy", user_id as "userId", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** By the clock of the database, which all processes share. */
const isDue = sql`send_at <= (extract(epoch from now()) * 1000)::bigint`;
const isHere = isServedHere(sql`s.account_id`);

export async function insertScheduled(tx: Tx, accountId: string, row: ScheduledRow): Promise<void> {
  await tx.query(sql`
    insert into scheduled_messages (account_id, id, session_id, send_at, content, attachments, template, mail,
      reply_to_message_id, pause_ai, cancel_on_reply, author_id, author_name, user_id, created_at, updated_at)
    values (${accountId}, ${row.id}, ${row.sessionId}, ${row.sendAt}, ${row.content}, ${JSON.stringify(row.attachments)},
      ${row.template && JSON.stringify(row.template)}::jsonb, ${row.mail && JSON.stringify(row.mail)}::jsonb,
      ${row.replyToMessageId}, ${row.pauseAi}, ${row.cancelOnReply}, ${row.author.id}, ${row.author.name}, ${row.userId}, ${row.createdAt}, ${row.updatedAt})`);
}

export async function countScheduled(db: Reader, accountId: string, sessionId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from scheduled_messages
    where account_id = ${accountId} and session_id = ${sessionId}`);
  return row!.count;
}

/** The next one first. */
export async function selectScheduled(
  db: Reader,
  accountId: string,
  sessionId: string,
  after: { sendAt: number; id: string } | null,
  limit: number,
): Promise<ScheduledRow[]> {
  return db.query<ScheduledRow>(sql`
    select ${columns} from scheduled_messages
    where account_id = ${accountId} and session_id = ${sessionId}
      ${after ? sql`and (send_at, id) > (${after.sendAt}, ${after.id})` : empty}
    order by send_at, id limit ${limit}`);
}

export async function findScheduled(
  db: Reader,
  accountId: string,
  sessionId: string,
  id: string,
): Promise<ScheduledRow | null> {
  const [row] = await db.query<ScheduledRow>(sql`
    select ${columns} from scheduled_messages
    where account_id = ${accountId} and session_id = ${sessionId} and id = ${id}`);
  return row ?? null;
}

export async function updateScheduled(tx: Tx, accountId: string, row: ScheduledRow): Promise<void> {
  await tx.query(sql`
    update scheduled_messages set content = ${row.content}, send_at = ${row.sendAt},
      cancel_on_reply = ${row.cancelOnReply}, author_id = ${row.author.id}, author_name = ${row.author.name},
      user_id = ${row.userId}, scheduled_by = ${row.scheduledBy && JSON.stringify(row.scheduledBy)}::jsonb,
      updated_at = ${row.updatedAt}
    where account_id = ${accountId} and id = ${row.id}`);
}

export async function deleteScheduled(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from scheduled_messages where account_id = ${accountId} and id = ${id}`);
}

/** Those that a message of the customer cancels, in their order. */
export async function selectCancelled(tx: Tx, accountId: string, sessionId: string): Promise<ScheduledRow[]> {
  return tx.query<ScheduledRow>(sql`
    select ${columns} from scheduled_messages
    where account_id = ${accountId} and session_id = ${sessionId} and cancel_on_reply
    order by send_at, id`);
}

/** Part of the statement that stores a message of the customer. */
export function cancelByReply(accountId: string, sessionId: string, source: Sql): Sql {
  return sql`
    delete from scheduled_messages
    where account_id = ${accountId} and session_id = ${sessionId} and cancel_on_reply
      and exists (select from ${source})`;
}

export interface Conversation {
  accountId: string;
  sessionId: string;
}

export interface DueMessage extends Conversation {
  id: string;
}

const dueColumns = sql`s.account_id as "accountId", s.id, s.session_id as "sessionId"`;

const isSendable = sql`${isDue} and ${isHere} and ${isActive(sql`s.account_id`)}`;

/** Of a conversation whose messages could not be sent at their time. */
export const scheduledJobKind = jobKind('scheduled-messages');

const isAtItsTurn = sql`${isSendable} and not ${hasJob(sql`s.account_id`, scheduledJobKind, sql`s.session_id`)}`;

/** An expression. */
export const hasDue = sql`coalesce((
  select true from scheduled_messages s where ${isAtItsTurn} order by s.send_at limit 1), false)`;

/** The longest due first, without those of conversations that a job retries. */
export async function selectDue(db: Reader, limit: number): Promise<DueMessage[]> {
  return db.query<DueMessage>(sql`
    select ${dueColumns} from scheduled_messages s where ${isAtItsTurn} order by s.send_at, s.id limit ${limit}`);
}

export async function selectDueOf(db: Reader, { accountId, sessionId }: Conversation): Promise<DueMessage[]> {
  return db.query<DueMessage>(sql`
    select ${dueColumns} from scheduled_messages s
    where s.account_id = ${accountId} and s.session_id = ${sessionId} and ${isSendable}
    order by s.send_at, s.id`);
}

export interface TakenRow extends ScheduledRow {
  /** Of the user who wrote it, or whose token did; null: they are no longer one. */
  rights: { role: Role; permissions: Permission[] | null } | null;
}

const rightsOfUser = sql`(
  select json_build_object('role', u.role, 'permissions', (select r.permissions from roles r
    where r.account_id = u.account_id and r.id = u.role_id and u.role = 'operator'))
  from users u where u.account_id = scheduled_messages.account_id and u.id = scheduled_messages.user_id)`;

/** Under the conversation's lock. Null: it was sent, changed or cancelled meanwhile. */
export async function takeDue(tx: Tx, accountId: string, id: string): Promise<TakenRow | null> {
  const [row] = await tx.query<TakenRow>(sql`
    delete from scheduled_messages where account_id = ${accountId} and id = ${id} and ${isDue}
    returning ${columns}, ${rightsOfUser} as rights`);
  return row ?? null;
}

/** The author is notified. */
export async function noteFailed(
  tx: Tx,
  accountId: string,
  sessionId: string,
  userId: string,
): Promise<void> {
  const change = sql`select 'scheduled.failed', ${sessionId}::text, ${userId}::uuid`;
  await tx.query(insertLiveChanges(accountId, change));
}
