import type { User } from '../../../contract/accounts.ts';
import type {
  Availability,
  LanguageName,
  Role,
  ThemeName,
  undoSendChoices,
} from '../../../contract/limits.ts';
import { version } from '../../../contract/version.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { hasFactor } from './factors/accounts.factors.sql.ts';
import type { Person, RoleChoice } from './roles/accounts.permissions.ts';
import { ownPermissions, ownRoleId } from './roles/accounts.roles.sql.ts';

interface UserRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  role_id: string | null;
  capacity: number;
  availability: Availability;
  has_factor: boolean;
  created_at: number;
  updated_at: number;
}

export interface NewUser {
  id: string;
  email: string;
  name: string;
  role: Role;
  roleId: string | null;
  passwordHash: string;
  isOwnPassword: boolean;
  isInstanceAdmin: boolean;
  now: number;
}

const userColumns = sql`u.id, u.email, u.name, u.role, ${ownRoleId} as role_id, u.capacity, u.availability, ${hasFactor} as has_factor,
  u.created_at, u.updated_at`;

function toUser(row: UserRow): User {
  const {
    created_at: createdAt,
    updated_at: updatedAt,
    has_factor: hasSecondFactor,
    role_id: roleId,
    ...user
  } = row;
  return { ...user, roleId, hasSecondFactor, createdAt, updatedAt };
}

/** A new user starts at the running release; there is nothing new to read. */
export async function insertUser(tx: Tx, accountId: string, user: NewUser): Promise<User> {
  const [row] = await tx.query<UserRow>(sql`
    insert into users as u (account_id, id, email, name, role, role_id, password_hash, password_is_own, is_instance_admin, seen_release,
      created_at, updated_at)
    values (${accountId}, ${user.id}, ${user.email}, ${user.name}, ${user.role}, ${user.roleId}, ${user.passwordHash},
      ${user.isOwnPassword}, ${user.isInstanceAdmin}, ${version}, ${user.now}, ${user.now})
    returning ${userColumns}`);
  return toUser(row!);
}

export async function findUser(db: Reader, accountId: string, id: string): Promise<User | null> {
  const [row] = await db.query<UserRow>(sql`
    select ${userColumns} from users u where account_id = ${accountId} and id = ${id}`);
  return row ? toUser(row) : null;
}

export async function selectUsers(
  db: Reader,
  accountId: string,
  after: { name: string; id: string } | null,
  limit: number,
): Promise<User[]> {
  const rows = await db.query<UserRow>(sql`
    select ${userColumns} from users u
    where account_id = ${accountId}
      and (${after === null} or (name, id) > (${after?.name ?? ''}, ${after?.id ?? null}::uuid))
    order by name, id limit ${limit}`);
  return rows.map(toUser);
}

/** Dashboard preferences of a user, on every device. */
export interface Preferences {
  /** Null: the browser's. */
  language: LanguageName | null;
  theme: ThemeName;
  undoSendSeconds: (typeof undoSendChoices)[number];
  seenRelease: string | null;
  availability: Availability;
}

const noPreferences: Preferences = {
  language: null,
  theme: 'system',
  undoSendSeconds: 5,
  seenRelease: null,
  availability: 'available',
};

export async function selectPreferences(db: Reader, accountId: string, id: string): Promise<Preferences> {
  const [row] = await db.query<Preferences>(
    sql`select language, theme, undo_send_seconds as "undoSendSeconds", seen_release as "seenRelease", availability
      from users where account_id = ${accountId} and id = ${id}`,
  );
  return row ?? noPreferences;
}

/** Not a change that colleagues need to see: `updated_at` stays. */
export async function updatePreferences(
  tx: Tx,
  accountId: string,
  id: string,
  { language, theme, undoSendSeconds, seenRelease, availability }: Partial<Preferences>,
): Promise<void> {
  await tx.query(sql`
    update users set theme = coalesce(${theme ?? null}, theme),
      undo_send_seconds = coalesce(${undoSendSeconds ?? null}::int, undo_send_seconds),
      seen_release = coalesce(${seenRelease ?? null}, seen_release),
      availability = coalesce(${availability ?? null}, availability),
      language = case when ${language === undefined} then language else ${language ?? null} end
    where account_id = ${accountId} and id = ${id}`);
}

export async function updateUser(
  tx: Tx,
  accountId: string,
  id: string,
  change: {
    name?: string;
    next: RoleChoice | null;
    passwordHash?: string;
    isOwnPassword?: boolean;
    capacity?: number;
    now: number;
  },
): Promise<User | null> {
  const [row] = await tx.query<UserRow>(sql`
    update users u set name = coalesce(${change.name ?? null}, name), role = coalesce(${change.next?.role ?? null}, role),
      role_id = case when ${change.next === null} then role_id else ${change.next?.roleId ?? null}::uuid end,
      password_hash = coalesce(${change.passwordHash ?? null}, password_hash), capacity = coalesce(${change.capacity ?? null}, capacity),
      password_is_own = case when ${change.passwordHash === undefined} then password_is_own else ${change.isOwnPassword ?? false} end,
      updated_at = ${change.now}
    where account_id = ${accountId} and id = ${id}
    returning ${userColumns}`);
  return row ? toUser(row) : null;
}

/** Whether the current password was still the one that was checked. */
export async function updatePassword(
  tx: Tx,
  accountId: string,
  id: string,
  change: { currentHash: string; nextHash: string; now: number },
): Promise<boolean> {
  const changed = await tx.query(sql`
    update users set password_hash = ${change.nextHash}, password_is_own = true, updated_at = ${change.now}
    where account_id = ${accountId} and id = ${id} and password_hash = ${change.currentHash} returning 1`);
  return changed.length > 0;
}

/** Whether another person had set the password. */
export async function replaceForeignPassword(
  tx: Tx,
  accountId: string,
  id: string,
  change: { passwordHash: string; now: number },
): Promise<boolean> {
  const changed = await tx.query(sql`
    update users set password_hash = ${change.passwordHash}, password_is_own = true, updated_at = ${change.now}
    where account_id = ${accountId} and id = ${id} and not password_is_own returning 1`);
  return changed.length > 0;
}

export async function deleteUser(tx: Tx, accountId: string, id: string): Promise<void> {
  // Conversations that the user owned lose their owner.
  await tx.query(sql`delete from users where account_id = ${accountId} and id = ${id}`, {
    timeoutMs: 60_000,
  });
}

/**
 * Locks the account, so that two administrators cannot demote each other at the same moment. Who was created first comes
 * first: ids begin with the time.
 */
export async function lockAdministrators(
  tx: Tx,
  accountId: string,
): Promise<{ id: string; isInstanceAdmin: boolean }[]> {
  await tx.query(sql`select 1 from accounts where id = ${accountId} for update`);
  return tx.query<{ id: string; isInstanceAdmin: boolean }>(sql`
    select id, is_instance_admin as "isInstanceAdmin" from users where account_id = ${accountId} and role = 'admin'
    order by id`);
}

export async function isInstanceAdmin(db: Reader, accountId: string, id: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from users where account_id = ${accountId} and id = ${id} and is_instance_admin`,
  );
  return rows.length > 0;
}

export async function countInstanceAdmins(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from users where is_instance_admin`,
  );
  return row!.count;
}

/** In this database; not those that are being deleted. */
export async function selectInstanceAdminAccounts(db: Reader): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select distinct u.account_id as id from users u join accounts a on a.id = u.account_id
      where u.is_instance_admin and a.deleting_at is null order by 1`,
  );
  return rows.map(({ id }) => id);
}

/** Those of `ids` that are not users of the account. */
export async function selectUnknownUserIds(db: Reader, accountId: string, ids: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select asked.id from unnest(${ids}::uuid[]) as asked (id)
    where not exists (select from users u where u.account_id = ${accountId} and u.id = asked.id)`);
  return rows.map((row) => row.id);
}

/** Those of `ids` that are users of the account. */
export async function selectUsersByIds(
  db: Reader,
  accountId: string,
  ids: string[],
): Promise<(Person & { name: string })[]> {
  return db.query(sql`
    select u.id, u.name, u.role, ${ownPermissions} as permissions from users u
    where u.account_id = ${accountId} and u.id = any(${ids}::uuid[])`);
}

/** Users of the account among `ids` and `emails`. */
export async function selectUsersByIdOrEmail(
  db: Reader,
  accountId: string,
  ids: string[],
  emails: string[],
): Promise<{ id: string; email: string }[]> {
  return db.query<{ id: string; email: string }>(sql`
    select id, email from users
    where account_id = ${accountId} and (id = any(${ids}::uuid[]) or email = any(${emails}::text[]))`);
}

/** In any account of this database. */
export async function hasEmail(db: Reader, email: string): Promise<boolean> {
  return (await db.query(sql`select from users where email = ${email}`)).length > 0;
}

/** Their logins go with them. */
export async function eraseUsers(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from users where account_id = ${accountId} and id = any(${ids}::uuid[])`, {
    timeoutMs: 60_000,
  });
}
