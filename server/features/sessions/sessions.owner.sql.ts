/** Who may own a conversation, and how many there are by owner. */
import type { SessionCounts } from '../../../contract/messaging/sessions.ts';
import type { Reader } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';

/** Of a user u: a role of the account may not let them see conversations. */
const maySeeConversations = sql`(u.role_id is null or u.role <> 'operator' or exists (select from roles r
  where r.account_id = u.account_id and r.id = u.role_id and 'conversations.view' = any(r.permissions)))`;
/** Of a user u and a board k. */
const mayOwn = sql`(${maySeeConversations} and (u.role <> 'operator' or not coalesce(k.is_restricted, false) or exists (
  select from kanban_members m
  where m.account_id = u.account_id and m.kanban_id = k.id and m.user_id = u.id)))`;

/** Null: there is no such user. */
export async function findMayOwn(
  db: Reader,
  accountId: string,
  kanbanId: string,
  userId: string,
): Promise<boolean | null> {
  const [row] = await db.query<{ may: boolean }>(sql`
    select ${mayOwn} as may from users u
    left join kanbans k on k.account_id = u.account_id and k.id = ${kanbanId}
    where u.account_id = ${accountId} and u.id = ${userId}`);
  return row?.may ?? null;
}

/** Conversations of the user that are not resolved. */
export async function selectOwnedIds(
  db: Reader,
  accountId: string,
  userId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select session_id as id from sessions
    where account_id = ${accountId} and assigned_user_id = ${userId} and status <> 'resolved'
    order by session_id collate "C" limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Conversations that their owner may no longer see. */
export async function selectIdsOfHidden(db: Reader, accountId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select s.session_id as id from users u
    join kanbans k on k.account_id = u.account_id and (k.is_restricted or u.role_id is not null)
    join sessions s on s.account_id = u.account_id and s.assigned_user_id = u.id and s.kanban_id = k.id
    where u.account_id = ${accountId} and not ${mayOwn}
    order by s.session_id limit ${limit}`);
  return rows.map((row) => row.id);
}

/** From indexes alone: sessions_owners has every column that this reads of open conversations. */
export async function countByOwner(
  db: Reader,
  accountId: string,
  visibleKanbanIds: string[] | null,
  userId: string | null,
): Promise<SessionCounts> {
  const visible: Sql =
    visibleKanbanIds === null ? empty : sql`and kanban_id = any(${visibleKanbanIds}::uuid[])`;
  const [row] = await db.query<SessionCounts>(sql`
    with open as (
      select team_id, count(*) as total, count(*) filter (where assigned_user_id = ${userId}::uuid) as mine,
        count(*) filter (where assigned_user_id is null) as unassigned
      from sessions where account_id = ${accountId} and status = 'open' ${visible}
      group by team_id)
    select coalesce(sum(total), 0)::int as all, coalesce(sum(mine), 0)::int as mine,
      coalesce(sum(unassigned), 0)::int as unassigned,
      (select count(*)::int from sessions where account_id = ${accountId} and status = 'snoozed' ${visible}) as snoozed,
      coalesce(json_agg(json_build_object('teamId', team_id, 'count', total) order by team_id)
        filter (where team_id is not null), '[]') as teams
    from open`);
  return row!;
}
