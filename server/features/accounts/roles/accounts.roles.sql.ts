import type { Role } from '../../../../contract/limits.ts';
import type { Permission } from '../../../../contract/roles/permissions.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../../platform/db/sql.ts';

/** For statements over `users u`. Null: the user has a built-in role. */
export const ownRoleId: Sql = sql`(case when u.role = 'operator' then u.role_id end)`;
/** The same for the permissions. Without a role there is nothing to look up. */
export const ownPermissions: Sql = sql`(select r.permissions from roles r
  where r.account_id = u.account_id and r.id = u.role_id and u.role = 'operator')`;

export interface RoleRow {
  id: string;
  name: string;
  description: string;
  permissions: Permission[];
  createdAt: number;
  updatedAt: number;
}

const columns = sql`id, name, description, permissions, created_at as "createdAt", updated_at as "updatedAt"`;

export async function selectRoles(db: Reader, accountId: string): Promise<RoleRow[]> {
  return db.query<RoleRow>(sql`
    select ${columns} from roles where account_id = ${accountId} order by lower(name), id`);
}

/** How many users have each role, by the id of a role of the account or the name of a built-in one. */
export async function countUsersByRole(db: Reader, accountId: string): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; count: number }>(sql`
    select coalesce(${ownRoleId}::text, u.role) as id, count(*)::int as count from users u
    where u.account_id = ${accountId} group by 1`);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

export async function countRoles(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from roles where account_id = ${accountId}`,
  );
  return row!.count;
}

/** `keep`: it neither changes nor goes until the transaction ends. `change`: no user gets it meanwhile either. */
export async function lockRole(
  tx: Tx,
  accountId: string,
  id: string,
  to: 'keep' | 'change',
): Promise<RoleRow | null> {
  const [row] = await tx.query<RoleRow>(sql`
    select ${columns} from roles where account_id = ${accountId} and id = ${id}
    ${to === 'keep' ? sql`for share` : sql`for update`}`);
  return row ?? null;
}

/** Names without regard to case; none of them changes until the transaction ends. */
export async function lockRolesNamed(
  tx: Tx,
  accountId: string,
  names: readonly string[],
): Promise<RoleRow[]> {
  return tx.query<RoleRow>(sql`
    select ${columns} from roles
    where account_id = ${accountId} and lower(name) = any(select lower(n) from unnest(${names}::text[]) n)
    order by lower(name), id for share`);
}

export async function insertRole(tx: Tx, accountId: string, role: RoleRow): Promise<void> {
  await tx.query(sql`
    insert into roles (account_id, id, name, description, permissions, created_at, updated_at)
    values (${accountId}, ${role.id}, ${role.name}, ${role.description}, ${role.permissions}, ${role.createdAt},
      ${role.updatedAt})`);
}

export async function updateRole(tx: Tx, accountId: string, role: RoleRow): Promise<void> {
  await tx.query(sql`
    update roles set name = ${role.name}, description = ${role.description}, permissions = ${role.permissions},
      updated_at = ${role.updatedAt}
    where account_id = ${accountId} and id = ${role.id}`);
}

export async function deleteRole(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from roles where account_id = ${accountId} and id = ${id}`);
}

export async function selectUsersWithRole(tx: Tx, accountId: string, roleId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select u.id from users u
    where u.account_id = ${accountId} and u.role_id = ${roleId} and u.role = 'operator' order by u.id`);
  return rows.map(({ id }) => id);
}

/** Also of users who have become administrators since, for whom it does not count. */
export async function replaceRole(
  tx: Tx,
  accountId: string,
  roleId: string,
  next: string | null,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update users set role_id = ${next}, updated_at = ${now}
    where account_id = ${accountId} and role_id = ${roleId}`);
}

/** Until the transaction ends, no other one gives or takes rights in the account. */
export async function lockRightsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7231012, hashtext(${accountId}::text))`);
}

/** The same for the administrators of the instance, in this database. */
export async function lockInstanceAdmins(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7231013)`);
}

/** In the database of the instance: one deletion of an account at a time, wherever the account is. */
export async function lockInstanceDeletions(instance: Tx): Promise<void> {
  await instance.query(sql`select pg_advisory_xact_lock(7231014)`);
}

export interface PersonRow {
  role: Role;
  permissions: Permission[] | null;
}

/** What a user may do; `locks`: until the transaction ends they get no other role. */
export async function findRights(
  tx: Tx,
  accountId: string,
  userId: string,
  locks: boolean,
): Promise<PersonRow | null> {
  const [row] = await tx.query<PersonRow>(sql`
    select u.role, ${ownPermissions} as permissions from users u
    where u.account_id = ${accountId} and u.id = ${userId} ${locks ? sql`for no key update of u` : empty}`);
  return row ?? null;
}
