import type { Role, Scope } from '../../../contract/limits.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { Db, Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { mustSetUpFactor } from './login/accounts.sessions.sql.ts';
import type { Person } from './roles/accounts.permissions.ts';
import { ownPermissions, ownRoleId } from './roles/accounts.roles.sql.ts';

export interface StoredToken {
  accountId: string;
  id: string;
  name: string;
  scopes: Scope[];
  expiresAt: number | null;
  user: Person;
  isSuspended: boolean;
  allowedAddresses: string[];
}

interface TokenRow {
  account_id: string;
  id: string;
  name: string;
  scopes: Scope[];
  expires_at: number | null;
  user_id: string;
  role: Role;
  permissions: Permission[] | null;
  is_suspended: boolean;
  allowed_addresses: string[];
}

function toStoredToken(row: TokenRow): StoredToken {
  return {
    accountId: row.account_id,
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    user: { id: row.user_id, role: row.role, ...(row.permissions && { permissions: row.permissions }) },
    isSuspended: row.is_suspended,
    allowedAddresses: row.allowed_addresses,
  };
}

export async function findTokenByHash(db: Reader, hash: Buffer): Promise<StoredToken | null> {
  const [row] = await db.query<TokenRow>(sql`
    select t.account_id, t.id, t.name, t.scopes, t.expires_at, t.user_id, u.role, ${ownPermissions} as permissions,
      a.suspended_at is not null as is_suspended,
      t.allowed_addresses
    from api_tokens t join users u on u.account_id = t.account_id and u.id = t.user_id
    join accounts a on a.id = t.account_id
    where t.token_hash = ${hash}`);
  return row ? toStoredToken(row) : null;
}

export async function touchToken(db: Db, accountId: string, id: string, now: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`update api_tokens set last_used_at = ${now} where account_id = ${accountId} and id = ${id}`),
  );
}

export interface SessionUser {
  accountId: string;
  id: string;
  name: string;
  email: string;
  role: Role;
  roleId: string | null;
  permissions: Permission[] | null;
  isInstanceAdmin: boolean;
}

/** With what the account says about signing in, in one query: it runs for every client twice a second. */
export interface SessionRules {
  isSuspended: boolean;
  adminAddresses: string[];
  mustSetUpFactor: boolean;
}

export async function findUserBySession(
  db: Reader,
  accountId: string,
  sessionId: string,
  now: number,
): Promise<{ user: SessionUser; rules: SessionRules } | null> {
  const [row] = await db.query<{
    id: string;
    name: string;
    email: string;
    role: Role;
    role_id: string | null;
    permissions: Permission[] | null;
    is_instance_admin: boolean;
    is_suspended: boolean;
    admin_addresses: string[];
    must_set_up_factor: boolean;
  }>(sql`
    select u.id, u.name, u.email, u.role, ${ownRoleId} as role_id, ${ownPermissions} as permissions,
      u.is_instance_admin, a.suspended_at is not null as is_suspended,
      a.admin_addresses, ${mustSetUpFactor} as must_set_up_factor
    from user_sessions s join users u on u.account_id = s.account_id and u.id = s.user_id
    join accounts a on a.id = s.account_id
    where s.account_id = ${accountId} and s.id = ${sessionId} and s.expires_at > ${now}`);
  if (!row) return null;
  return {
    user: {
      accountId,
      id: row.id,
      name: row.name,
      email: row.email,
      role: row.role,
      roleId: row.role_id,
      permissions: row.permissions,
      isInstanceAdmin: row.is_instance_admin,
    },
    rules: {
      isSuspended: row.is_suspended,
      adminAddresses: row.admin_addresses,
      mustSetUpFactor: row.must_set_up_factor,
    },
  };
}

/** Without a login: for work that continues after its request. */
export async function findUserActor(
  db: Reader,
  accountId: string,
  id: string,
): Promise<Omit<SessionUser, 'accountId'> | null> {
  const [row] = await db.query<Omit<SessionUser, 'accountId'>>(sql`
    select u.id, u.name, u.email, u.role, ${ownRoleId} as "roleId", ${ownPermissions} as permissions,
      u.is_instance_admin as "isInstanceAdmin" from users u
    where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export async function findTokenById(db: Reader, accountId: string, id: string): Promise<StoredToken | null> {
  const [row] = await db.query<TokenRow>(sql`
    select t.account_id, t.id, t.name, t.scopes, t.expires_at, t.user_id, u.role, ${ownPermissions} as permissions,
      a.suspended_at is not null as is_suspended,
      t.allowed_addresses
    from api_tokens t join users u on u.account_id = t.account_id and u.id = t.user_id
    join accounts a on a.id = t.account_id
    where t.account_id = ${accountId} and t.id = ${id}`);
  return row ? toStoredToken(row) : null;
}
