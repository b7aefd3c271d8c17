import type { AssignmentMode, Role } from '../../../../contract/limits.ts';
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Of a conversation s. The index sessions_waiting has the same condition. */
const waits = sql`s.status = 'open' and s.assigned_user_id is null and (s.ai_paused or s.needs_attention)`;
/** Of a user u: they say so, and have a live connection. A dead process is forgotten after a minute. */
const isPresent = sql`u.availability = 'available' and exists (
  select from live_presence p
  where p.account_id = u.account_id and p.user_id = u.id and p.seen_at > now() - interval '1 minute')`;
const openOf = sql`(select count(*)::int from sessions o
  where o.account_id = u.account_id and o.assigned_user_id = u.id and o.status = 'open')`;

/** Accounts a in which a conversation waits and a user is free. Most instances have no such channel at all. */
const accountsToAssign = sql`(select distinct account_id as id from channels where assignment_mode <> 'off') a
  where ${isServedHere(sql`a.id`)} and exists (
      select from channels c join sessions s on s.account_id = c.account_id and s.channel_id = c.id and ${waits}
      where c.account_id = a.id and c.assignment_mode <> 'off')
    and exists (select from users u where u.account_id = a.id and ${isPresent} and ${openOf} < u.capacity)`;

/** An expression. */
export const hasAccountsToAssign = sql`exists (select from ${accountsToAssign})`;

export async function selectAccountsToAssign(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select a.id from ${accountsToAssign} order by random() limit ${limit}`);
  return rows.map((row) => row.id);
}

/** False: another worker assigns the account's conversations at this moment. */
export async function lockAssignment(tx: Tx, accountId: string): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${accountId}::text || '/assignment', 0)) as locked`);
  return row!.locked;
}

/** Of a user u: a role of the account may not let them answer. */
const mayReply = sql`(u.role_id is null or u.role <> 'operator' or exists (select from roles r
  where r.account_id = u.account_id and r.id = u.role_id and 'conversations.reply' = any(r.permissions)))`;

export interface Candidate {
  id: string;
  role: Role;
  capacity: number;
  /** Open conversations that they own. */
  open: number;
  /** The lowest is next; 0: they have not had one yet. */
  turn: number;
  teamIds: string[];
}

export async function selectCandidates(db: Reader, accountId: string): Promise<Candidate[]> {
  return db.query<Candidate>(sql`
    select u.id, u.role, u.capacity, ${openOf} as open, coalesce(t.turn, 0) as turn,
      array(select m.team_id from team_members m where m.account_id = u.account_id and m.user_id = u.id)::text[]
        as "teamIds"
    from users u left join assignment_turns t on t.account_id = u.account_id and t.user_id = u.id
    where u.account_id = ${accountId} and ${isPresent} and ${mayReply}
    order by u.id`);
}

export interface Waiting {
  sessionId: string;
  kanbanId: string;
  mode: Exclude<AssignmentMode, 'off'>;
  /** The conversation's own team; without one, its channel's. Null: everyone. */
  teamId: string | null;
  /** The conversation's own. */
  ownTeamId: string | null;
}

/** A board with a team, or with none, whose conversations some user may own. */
export interface Place {
  kanbanId: string;
  teamId: string | null;
}

/** Only in these places; those that wait longest first. */
export async function selectWaiting(
  db: Reader,
  accountId: string,
  places: readonly Place[],
): Promise<Waiting[]> {
  return db.query<Waiting>(sql`
    select s.session_id as "sessionId", s.kanban_id as "kanbanId", c.assignment_mode as mode,
      coalesce(s.team_id, c.assignment_team_id) as "teamId", s.team_id as "ownTeamId"
    from channels c join sessions s on s.account_id = c.account_id and s.channel_id = c.id and ${waits}
    where c.account_id = ${accountId} and c.assignment_mode <> 'off' and exists (
      select from unnest(${places.map((one) => one.kanbanId)}::uuid[], ${places.map((one) => one.teamId)}::uuid[])
        as p (kanban_id, team_id)
      where p.kanban_id = s.kanban_id
        and p.team_id is not distinct from coalesce(s.team_id, c.assignment_team_id))
    order by s.last_message_at, s.session_id limit 1000`);
}

export async function upsertTurns(
  tx: Tx,
  accountId: string,
  turns: readonly { userId: string; turn: number }[],
): Promise<void> {
  await tx.query(sql`
    insert into assignment_turns (account_id, user_id, turn)
    select ${accountId}::uuid, t.user_id, t.turn
    from unnest(${turns.map((one) => one.userId)}::uuid[], ${turns.map((one) => one.turn)}::bigint[])
      as t (user_id, turn)
    on conflict (account_id, user_id) do update set turn = excluded.turn`);
}
