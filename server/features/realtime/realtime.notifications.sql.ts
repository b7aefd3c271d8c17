import type { Role } from '../../../contract/limits.ts';
import type { NotificationKind } from '../../../contract/notifications.ts';
import type {
  Notification,
  NotificationSettings,
  NotificationsRead,
  NotificationWays,
} from '../../../contract/realtime.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import { insertLiveChanges } from '../../platform/events/live-changes.ts';
import { newId } from '../../platform/ids.ts';

/** What it is about. */
const isOfSession = sql`kind not in ('webhook_disabled', 'connector_failed', 'knowledge_review', 'agent_limit', 'rule_disabled') and record_id is null
  and not (kind = 'rule' and subject_id like 'rule:%')`;

/** Of a table named n. */
export const notificationColumns = sql`n.id, n.kind, n.title, n.body,
  case when ${isOfSession} then n.subject_id end as "sessionId",
  case when n.kind = 'webhook_disabled' then n.subject_id end as "webhookId",
  case when n.kind = 'connector_failed' then n.subject_id end as "channelId", n.record_id as "recordId",
  case when n.kind = 'knowledge_review' then n.subject_id end as "knowledgeSourceId",
  case when n.kind = 'agent_limit' then n.subject_id end as "agentId",
  n.count, n.sound, n.created_at as "createdAt", n.updated_at as "updatedAt", n.read_at as "readAt"`;

export interface NewNotification {
  kind: NotificationKind;
  subjectId: string;
  /** Of a task or a comment. */
  recordId?: string;
  title: string;
  body: string;
  to: readonly Recipient[];
}

/** A user and their notification channels. */
export interface Recipient extends NotificationWays {
  userId: string;
}

/** An unread one of the same kind and subject is counted up. Returns which notification each user has now. */
export async function upsertNotifications(
  tx: Tx,
  accountId: string,
  news: NewNotification,
  now: number,
): Promise<{ id: string; userId: string }[]> {
  const { to } = news;
  const ids = to.map(() => newId(now));
  return tx.query(sql`
    with written as (
      insert into notifications as n (account_id, id, user_id, kind, title, body, subject_id, record_id, created_at,
        updated_at, in_page, sound)
      select ${accountId}::uuid, u.id, u.user_id, ${news.kind}::text, ${news.title}::text, ${news.body}::text,
        ${news.subjectId}::text, ${news.recordId ?? null}::uuid, ${now}::bigint, ${now}::bigint, u.in_page, u.sound
      from unnest(${ids}::uuid[], ${to.map((one) => one.userId)}::uuid[], ${to.map((one) => one.page)}::boolean[],
        ${to.map((one) => one.sound)}::boolean[]) as u (id, user_id, in_page, sound)
      where exists (select from users where account_id = ${accountId} and users.id = u.user_id)
      on conflict (account_id, user_id, kind, subject_id) where read_at is null do update
      set count = n.count + 1, title = excluded.title, body = excluded.body, updated_at = excluded.updated_at,
        in_page = n.in_page or excluded.in_page, sound = excluded.sound
      returning n.id, n.user_id, n.in_page
    ), noted as (
      ${insertLiveChanges(
        accountId,
        sql`select 'notification.updated', id::text, user_id from written where in_page`,
      )})
    select id, user_id as "userId" from written`);
}

export async function selectNotifications(
  db: Reader,
  accountId: string,
  userId: string,
  unreadOnly: boolean,
  after: { updatedAt: number; id: string } | null,
  limit: number,
): Promise<Notification[]> {
  return db.query<Notification>(sql`
    select ${notificationColumns} from notifications n
    where n.account_id = ${accountId} and n.user_id = ${userId} and n.in_page
      ${unreadOnly ? sql`and n.read_at is null` : empty}
      ${after ? sql`and (n.updated_at, n.id) < (${after.updatedAt}, ${after.id})` : empty}
    order by n.updated_at desc, n.id desc limit ${limit}`);
}

export async function findNotification(
  db: Reader,
  accountId: string,
  id: string,
): Promise<(Notification & { userId: string }) | null> {
  const [row] = await db.query<Notification & { userId: string }>(sql`
    select ${notificationColumns}, n.user_id as "userId" from notifications n
    where n.account_id = ${accountId} and n.id = ${id}`);
  return row ?? null;
}

export async function countUnread(db: Reader, accountId: string, userId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from notifications
    where account_id = ${accountId} and user_id = ${userId} and read_at is null and in_page`);
  return row!.count;
}

/** Also updates the user's other windows. */
export async function markRead(
  tx: Tx,
  accountId: string,
  userId: string,
  which: NotificationsRead,
  now: number,
): Promise<void> {
  await tx.query(sql`
    with change as (
      update notifications set read_at = ${now}
      where account_id = ${accountId} and user_id = ${userId} and read_at is null
        and (${which.all === true} or id = any(${which.ids ?? []}::uuid[])
          or (subject_id = ${which.sessionId ?? null}::text and ${isOfSession})
          or record_id = ${which.recordId ?? null}::uuid)
      returning 1)
    ${insertLiveChanges(
      accountId,
      sql`select 'notifications.read', ${userId}::text, ${userId}::uuid where exists (select from change)`,
    )}`);
}

/** The channel works again: its failure is no longer news. */
export async function markConnectorRead(
  tx: Tx,
  accountId: string,
  channelId: string,
  now: number,
): Promise<void> {
  await tx.query(sql`
    with change as (
      update notifications set read_at = ${now}
      where account_id = ${accountId} and kind = 'connector_failed' and subject_id = ${channelId} and read_at is null
      returning user_id)
    ${insertLiveChanges(accountId, sql`select 'notifications.read', user_id::text, user_id from change`)}`);
}

export interface WaitingSession {
  name: string;
  kanbanId: string;
  waitsForPerson: boolean;
  /** Someone in the account wants notifications of every message. */
  isHeardByAll: boolean;
  /** The users of the record, and the owner of the conversation. */
  assignedUserIds: string[];
  ownerId: string | null;
  viewerIds: string[];
  /** Why the last reply could not be made, if the last one failed. */
  failure: string | null;
}

/**
 * The input of the decision: the current state of the conversation, and who owns it or its record. A message that an agent
 * has answered does not wait, even if the AI has been paused since.
 */
export async function selectWaiting(
  db: Reader,
  accountId: string,
  sessionId: string,
  messageId: string | null,
): Promise<WaitingSession | null> {
  const [row] = await db.query<WaitingSession>(sql`
    select coalesce(s.session_name, s.external_user_id, s.session_id) as name, s.kanban_id as "kanbanId",
      (s.ai_paused or s.needs_attention) and not exists (
        select from reply_log l
        where l.account_id = s.account_id and l.session_id = s.session_id and l.message_id = ${messageId}::uuid
          and l.outcome in ('sent', 'merged', 'held', 'failed')) as "waitsForPerson",
      exists (select from notification_settings n where n.account_id = s.account_id and n.hears_all) as "isHeardByAll",
      (coalesce(r.assigned_user_ids, '{}') || array_remove(array[s.assigned_user_id], null))::text[] as "assignedUserIds",
      s.assigned_user_id as "ownerId",
      array(select distinct p.user_id from live_presence p
        where p.account_id = s.account_id and p.session_id = s.session_id
          and p.seen_at > now() - interval '1 minute')::text[] as "viewerIds",
      (select case when l.outcome = 'failed' then l.reason end from reply_log l
        where l.account_id = s.account_id and l.session_id = s.session_id
        order by l.created_at desc, l.id desc limit 1) as failure
    from sessions s left join records r on r.account_id = s.account_id and r.id = s.record_id
    where s.account_id = ${accountId} and s.session_id = ${sessionId}`);
  return row ?? null;
}

/** Whose conversation it is: its owner's, without one its team's. */
export async function findResponsible(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<{ name: string; kanbanId: string; userIds: string[]; viewerIds: string[] } | null> {
  const [row] = await db.query<{
    name: string;
    kanbanId: string;
    userIds: string[];
    viewerIds: string[];
  }>(sql`
    select coalesce(s.session_name, s.external_user_id, s.session_id) as name, s.kanban_id as "kanbanId",
      case when s.assigned_user_id is not null then array[s.assigned_user_id]::text[]
        else array(select m.user_id from team_members m
          where m.account_id = s.account_id and m.team_id = s.team_id)::text[] end as "userIds",
      array(select distinct p.user_id from live_presence p
        where p.account_id = s.account_id and p.session_id = s.session_id
          and p.seen_at > now() - interval '1 minute')::text[] as "viewerIds"
    from sessions s where s.account_id = ${accountId} and s.session_id = ${sessionId}`);
  return row ?? null;
}

/** The board and the owners of a record, and who is looking at it now. */
export async function findRecordPeople(
  db: Reader,
  accountId: string,
  recordId: string,
): Promise<{ title: string; kanbanId: string; assignedUserIds: string[]; viewerIds: string[] } | null> {
  const [row] = await db.query<{
    title: string;
    kanbanId: string;
    assignedUserIds: string[];
    viewerIds: string[];
  }>(sql`
    select r.title, r.kanban_id as "kanbanId", r.assigned_user_ids::text[] as "assignedUserIds",
      array(select distinct p.user_id from live_presence p
        where p.account_id = r.account_id and p.record_id = r.id::text
          and p.seen_at > now() - interval '1 minute')::text[] as "viewerIds"
    from records r where r.account_id = ${accountId} and r.id = ${recordId}`);
  return row ?? null;
}

/** The name of a user or a token. */
export async function findName(db: Reader, accountId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(sql`
    select name from users where account_id = ${accountId} and id::text = ${id}
    union all select name from api_tokens where account_id = ${accountId} and id::text = ${id} limit 1`);
  return row?.name ?? null;
}

/** The person who snoozed the conversation last, or chose another time. */
export async function findSnoozer(db: Reader, accountId: string, sessionId: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    select changed_by ->> 'id' as id from session_changes
    where account_id = ${accountId} and session_id = ${sessionId} and changed_by ->> 'type' = 'user'
      and (changes @> '[{"newValue": "snoozed"}]' or changes @> '[{"field": "snoozedUntil"}]')
    order by sequence desc limit 1`);
  return row?.id ?? null;
}

/** Who made the user the owner; null: the service, or no longer known. */
export async function findAssigner(
  db: Reader,
  accountId: string,
  sessionId: string,
  userId: string,
): Promise<string | null> {
  const entry = JSON.stringify([{ field: 'assignedUserId', newValue: userId }]);
  const [row] = await db.query<{ name: string | null }>(sql`
    select changed_by ->> 'name' as name from session_changes
    where account_id = ${accountId} and session_id = ${sessionId} and changes @> ${entry}::jsonb
    order by sequence desc limit 1`);
  return row?.name ?? null;
}

/** Whether the customer asked for the last pause of the AI. */
export async function findPersonRequest(db: Reader, accountId: string, sessionId: string): Promise<boolean> {
  const [row] = await db.query<{ asked: boolean }>(sql`
    select exists (select from session_changes c
      where c.account_id = ${accountId} and c.session_id = ${sessionId}
        and c.changes @> '[{"field": "personRequested"}]'
        and c.sequence >= (select coalesce(max(p.sequence), 0) - 1 from ai_pauses p
          where p.account_id = c.account_id and p.session_id = c.session_id)) as asked`);
  return row!.asked;
}

export interface Colleague {
  id: string;
  role: Role;
  permissions: Permission[] | null;
  /** Null: no settings. */
  settings: Partial<NotificationSettings> | null;
}

export async function selectColleagues(db: Reader, accountId: string): Promise<Colleague[]> {
  return db.query<Colleague>(sql`
    select u.id, u.role, r.permissions, s.settings from users u
    left join roles r on r.account_id = u.account_id and r.id = u.role_id and u.role = 'operator'
    left join notification_settings s on s.account_id = u.account_id and s.user_id = u.id
    where u.account_id = ${accountId} order by u.id`);
}

export async function findSettings(
  db: Reader,
  accountId: string,
  userId: string,
): Promise<Partial<NotificationSettings> | null> {
  const [row] = await db.query<{ settings: Partial<NotificationSettings> }>(sql`
    select settings from notification_settings where account_id = ${accountId} and user_id = ${userId}`);
  return row?.settings ?? null;
}

/** There may be no settings row to lock yet. */
export async function lockUser(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.query(sql`select from users where account_id = ${accountId} and id = ${userId} for no key update`);
}

export async function upsertSettings(
  tx: Tx,
  accountId: string,
  userId: string,
  settings: NotificationSettings,
  now: number,
): Promise<void> {
  const { page, push } = settings.topics.message_any;
  await tx.query(sql`
    insert into notification_settings (account_id, user_id, settings, hears_all, updated_at)
    values (${accountId}, ${userId}, ${JSON.stringify(settings)}::jsonb, ${page || push}, ${now})
    on conflict (account_id, user_id) do update
    set settings = excluded.settings, hears_all = excluded.hears_all, updated_at = excluded.updated_at`);
}

export async function findWebhookUrl(db: Reader, accountId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ url: string }>(
    sql`select url from webhooks where account_id = ${accountId} and id = ${id}`,
  );
  return row?.url ?? null;
}

/** Its name; null: it is deleted, or a notification of this kind was made since. */
export async function findLimitedAgent(
  db: Reader,
  accountId: string,
  id: string,
  since: number,
): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(sql`
    select name from agents where account_id = ${accountId} and id = ${id} and not exists (
      select from notifications where account_id = ${accountId} and kind = 'agent_limit' and subject_id = ${id}
        and updated_at >= ${since})`);
  return row?.name ?? null;
}

export async function findRuleName(db: Reader, accountId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(
    sql`select name from automations where account_id = ${accountId} and id = ${id}`,
  );
  return row?.name ?? null;
}

export async function findChannelName(db: Reader, accountId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(
    sql`select name from channels where account_id = ${accountId} and id = ${id}`,
  );
  return row?.name ?? null;
}

export async function pruneNotifications(db: Db, before: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`delete from notifications where updated_at < ${before}`, { timeoutMs: 60_000 }),
  );
}
