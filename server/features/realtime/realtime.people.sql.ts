/** Tickets, logins and who looks at what. */
import type { Role } from '../../../contract/limits.ts';
import type { LivePerson } from '../../../contract/realtime.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { isActive } from '../../platform/jobs/suspended.ts';

export async function insertTicket(
  tx: Tx,
  accountId: string,
  ticket: { hash: Buffer; userId: string; loginId: string; seconds: number },
): Promise<number> {
  const [row] = await tx.query<{ expiresAt: number }>(sql`
    insert into live_tickets (ticket_hash, account_id, user_id, login_id, expires_at)
    values (${ticket.hash}, ${accountId}, ${ticket.userId}, ${ticket.loginId},
      now() + make_interval(secs => ${ticket.seconds}::int))
    returning (extract(epoch from expires_at) * 1000)::bigint as "expiresAt"`);
  return row!.expiresAt;
}

export interface Login {
  accountId: string;
  loginId: string;
  id: string;
  name: string;
  email: string;
  role: Role;
  permissions: Permission[] | null;
  isInstanceAdmin: boolean;
}

/** Of a user u; null: those of a built-in role. */
const ownPermissions = sql`(select r.permissions from roles r
  where r.account_id = u.account_id and r.id = u.role_id and u.role = 'operator')`;

/** Deleting the ticket uses it: of two clients with the same ticket, in any process, one finds it. */
export async function takeTicket(tx: Tx, hash: Buffer, now: number): Promise<Login | null> {
  const [row] = await tx.query<Login>(sql`
    with taken as (
      delete from live_tickets where ticket_hash = ${hash} returning account_id, user_id, login_id, expires_at)
    select u.account_id as "accountId", s.id as "loginId", u.id, u.name, u.email, u.role,
      ${ownPermissions} as permissions, u.is_instance_admin as "isInstanceAdmin"
    from taken t
    join user_sessions s on s.account_id = t.account_id and s.id = t.login_id and s.user_id = t.user_id
    join users u on u.account_id = t.account_id and u.id = t.user_id
    where t.expires_at > now() and s.expires_at > ${now} and ${isActive(sql`t.account_id`)}`);
  return row ?? null;
}

/** The logins that are still valid, with the current rights of their user. */
export async function selectLogins(
  db: Reader,
  logins: readonly { accountId: string; loginId: string }[],
  now: number,
): Promise<{ loginId: string; role: Role; permissions: Permission[] | null }[]> {
  return db.query(sql`
    select s.id as "loginId", u.role, ${ownPermissions} as permissions
    from unnest(${logins.map((one) => one.accountId)}::uuid[], ${logins.map((one) => one.loginId)}::uuid[])
      as wanted (account_id, login_id)
    join user_sessions s on s.account_id = wanted.account_id and s.id = wanted.login_id
    join users u on u.account_id = s.account_id and u.id = s.user_id
    where s.expires_at > ${now} and ${isActive(sql`s.account_id`)}`);
}

/** The board of a conversation or a record; null: there is none. */
export async function findKanbanOf(
  db: Reader,
  accountId: string,
  { sessionId, recordId }: { sessionId: string | null; recordId: string | null },
): Promise<string | null> {
  const [row] = await db.query<{ kanbanId: string }>(
    sessionId !== null
      ? sql`select kanban_id as "kanbanId" from sessions where account_id = ${accountId} and session_id = ${sessionId}`
      : sql`select kanban_id as "kanbanId" from records where account_id = ${accountId} and id = ${recordId}`,
  );
  return row?.kanbanId ?? null;
}

export async function upsertPresence(
  tx: Tx,
  accountId: string,
  at: {
    connectionId: string;
    user: LivePerson;
    sessionId: string | null;
    recordId: string | null;
  },
): Promise<void> {
  await tx.query(sql`
    insert into live_presence (account_id, connection_id, user_id, user_name, session_id, record_id)
    values (${accountId}, ${at.connectionId}, ${at.user.id}, ${at.user.name}, ${at.sessionId}, ${at.recordId})
    on conflict (account_id, connection_id) do update
    set session_id = excluded.session_id, record_id = excluded.record_id, seen_at = now()`);
}

export async function deletePresence(tx: Tx, accountId: string, connectionId: string): Promise<void> {
  await tx.query(sql`
    delete from live_presence where account_id = ${accountId} and connection_id = ${connectionId}`);
}

/** A crash of the database empties the table: connected users are written again. */
export async function renewPresence(
  tx: Tx,
  connections: readonly {
    accountId: string;
    id: string;
    actor: LivePerson;
    viewing: { sessionId: string | null; recordId: string | null } | null;
  }[],
): Promise<void> {
  await tx.query(sql`
    insert into live_presence as p (account_id, connection_id, user_id, user_name, session_id, record_id)
    select * from unnest(${connections.map((one) => one.accountId)}::uuid[],
      ${connections.map((one) => one.id)}::uuid[], ${connections.map((one) => one.actor.id)}::uuid[],
      ${connections.map((one) => one.actor.name)}::text[],
      ${connections.map((one) => one.viewing?.sessionId ?? null)}::text[],
      ${connections.map((one) => one.viewing?.recordId ?? null)}::text[])
    on conflict (account_id, connection_id) do update set seen_at = now()`);
}

/** Each once, however many windows they have. A dead process is forgotten after a minute. */
export async function selectPeople(
  db: Reader,
  accountId: string,
  { sessionId, recordId }: { sessionId: string | null; recordId: string | null },
): Promise<LivePerson[]> {
  return db.query<LivePerson>(sql`
    select user_id as id, min(user_name) as name from live_presence
    where account_id = ${accountId} and seen_at > now() - interval '1 minute'
      and session_id is not distinct from ${sessionId}::text and record_id is not distinct from ${recordId}::text
    group by user_id order by min(user_name), user_id`);
}

/** Every conversation that is being viewed, with its viewers. */
export async function selectViewed(
  db: Reader,
  accountId: string,
): Promise<{ kanbanId: string; sessionId: string; recordId: null; people: LivePerson[] }[]> {
  return db.query(sql`
    select s.kanban_id as "kanbanId", s.session_id as "sessionId", null as "recordId",
      json_agg(json_build_object('id', p.id, 'name', p.name) order by p.name, p.id) as people
    from (
      select session_id, user_id as id, min(user_name) as name from live_presence
      where account_id = ${accountId} and session_id is not null and seen_at > now() - interval '1 minute'
      group by session_id, user_id) p
    join sessions s on s.account_id = ${accountId} and s.session_id = p.session_id
    group by s.kanban_id, s.session_id`);
}
