/** Many conversations of one account in a few statements, and their history. */
import type { SessionChangeEntry } from '../../../contract/messaging/lifecycle.ts';
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { hasJob } from '../../platform/jobs/jobs.ts';
import { isActive } from '../../platform/jobs/suspended.ts';
import { type SessionChange, type SessionState, stateColumns } from './sessions.sql.ts';

/** In the order of their ids, so that two that lock the same ones never wait for each other. */
export async function lockSessionStates(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
): Promise<Map<string, SessionState>> {
  const ids = [...new Set(sessionIds)].sort();
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/session/' || id, 0))
    from unnest(${ids}::text[]) as wanted (id)`);
  const rows = await tx.query<SessionState>(sql`
    select s.session_id as "sessionId", ${stateColumns} from sessions s
    where s.account_id = ${accountId} and s.session_id = any(${ids}::text[])`);
  return new Map(rows.map((row) => [row.sessionId, row]));
}

export async function selectHeldSessionIds(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  if (sessionIds.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(sql`
    select distinct session_id as id from messages
    where account_id = ${accountId} and session_id = any(${sessionIds}::text[]) and held`);
  return new Set(rows.map(({ id }) => id));
}

export async function updateSessionMarks(
  tx: Tx,
  accountId: string,
  states: readonly SessionState[],
): Promise<void> {
  await tx.query(sql`
    update sessions s set status = g.status, snoozed_until = g."snoozedUntil", status_changed_at = g."statusChangedAt",
      status_changed_by = g."statusChangedBy", assigned_user_id = g."assignedUserId", team_id = g."teamId",
      label_ids = g."labelIds",
      needs_attention = g."needsAttention", unread = g.unread,
      updated_at = greatest(s.updated_at, g."updatedAt"), event_sequence = g."eventSequence"
    from json_to_recordset(${JSON.stringify(states)}::json) as g ("sessionId" text, status text, "snoozedUntil" bigint,
      "statusChangedAt" bigint, "statusChangedBy" jsonb, "assignedUserId" uuid, "teamId" uuid, "labelIds" uuid[],
      "needsAttention" boolean, unread int, "updatedAt" bigint, "eventSequence" int)
    where s.account_id = ${accountId} and s.session_id = g."sessionId"`);
}

export async function insertSessionChanges(
  tx: Tx,
  accountId: string,
  changes: readonly (SessionChange & { sessionId: string })[],
): Promise<void> {
  await tx.query(sql`
    insert into session_changes (account_id, session_id, sequence, at, changed_by, changes)
    select ${accountId}::uuid, c."sessionId", c.sequence, c.at, c."changedBy", c.changes
    from json_to_recordset(${JSON.stringify(changes)}::json) as c ("sessionId" text, sequence int, at bigint,
      "changedBy" jsonb, changes jsonb)`);
}

export async function selectSessionChanges(
  db: Reader,
  accountId: string,
  sessionId: string,
  before: number | null,
  limit: number,
): Promise<SessionChangeEntry[]> {
  return db.query<SessionChangeEntry>(sql`
    select sequence, at, changed_by as "changedBy", changes from session_changes
    where account_id = ${accountId} and session_id = ${sessionId}
      ${before === null ? empty : sql`and sequence < ${before}`}
    order by sequence desc limit ${limit}`);
}

export interface EndedSnooze {
  accountId: string;
  sessionId: string;
}

/** Of a conversation whose snooze could not be ended at its time. */
export const snoozeJobKind = jobKind('snooze-end');

const isEndable = sql`${isServedHere(sql`sessions.account_id`)} and ${isActive(sql`account_id`)}
  and not ${hasJob(sql`sessions.account_id`, snoozeJobKind, sql`sessions.session_id`)}`;

/** By the clock of the database. An expression: whether there is one. */
export const hasEndedSnoozes = sql`coalesce((
  select true from sessions where snoozed_until <= (extract(epoch from now()) * 1000)::bigint and ${isEndable}
  order by snoozed_until limit 1), false)`;

/** Snoozed conversations whose time has come, earliest first, without those that a job retries. */
export async function selectEndedSnoozes(db: Reader, now: number, limit: number): Promise<EndedSnooze[]> {
  return db.query(sql`
    select account_id as "accountId", session_id as "sessionId" from sessions
    where snoozed_until <= ${now} and ${isEndable}
    order by snoozed_until limit ${limit}`);
}
