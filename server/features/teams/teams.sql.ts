import type { Team } from '../../../contract/teams.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`t.id, t.name, array(
    select m.user_id from team_members m where m.account_id = t.account_id and m.team_id = t.id
    order by m.user_id)::text[] as "userIds", t.hours_id as "hoursId",
  t.created_at as "createdAt", t.updated_at as "updatedAt"`;

export async function selectTeams(
  db: Reader,
  accountId: string,
  after: { name: string; id: string } | null,
  limit: number,
): Promise<Team[]> {
  return db.query<Team>(sql`
    select ${columns} from teams t
    where t.account_id = ${accountId}
      and (${after === null} or (t.name, t.id) > (${after?.name ?? ''}, ${after?.id ?? null}::uuid))
    order by t.name, t.id limit ${limit}`);
}

export async function findTeam(db: Reader, accountId: string, id: string): Promise<Team | null> {
  const [row] = await db.query<Team>(sql`
    select ${columns} from teams t where t.account_id = ${accountId} and t.id = ${id}`);
  return row ?? null;
}

export async function insertTeam(tx: Tx, accountId: string, team: Team): Promise<void> {
  await tx.query(sql`
    insert into teams (account_id, id, name, hours_id, created_at, updated_at)
    values (${accountId}, ${team.id}, ${team.name}, ${team.hoursId}, ${team.createdAt}, ${team.updatedAt})`);
}

export async function updateTeam(tx: Tx, accountId: string, team: Team): Promise<void> {
  await tx.query(sql`
    update teams set name = ${team.name}, hours_id = ${team.hoursId}, updated_at = ${team.updatedAt}
    where account_id = ${accountId} and id = ${team.id}`);
}

export async function replaceMembers(
  tx: Tx,
  accountId: string,
  teamId: string,
  userIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from team_members
    where account_id = ${accountId} and team_id = ${teamId} and not user_id = any(${userIds}::uuid[])`);
  await tx.query(sql`
    insert into team_members (account_id, team_id, user_id)
    select ${accountId}::uuid, ${teamId}::uuid, id from unnest(${userIds}::uuid[]) as u (id)
    on conflict do nothing`);
}

/** Its conversations and channels lose it with the same statement. */
export async function deleteTeam(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from teams where account_id = ${accountId} and id = ${id}`, {
    timeoutMs: 60_000,
  });
}

export async function selectTeamsWithHours(
  db: Reader,
  accountId: string,
  hoursId: string,
): Promise<{ id: string; name: string }[]> {
  return db.query<{ id: string; name: string }>(sql`
    select id, name from teams where account_id = ${accountId} and hours_id = ${hoursId} order by name`);
}
