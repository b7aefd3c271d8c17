import type {
  Availability,
  LanguageName,
  Role,
  ThemeName,
  undoSendChoices,
} from '../../../../contract/limits.ts';
import type { Permission } from '../../../../contract/roles/permissions.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasFactor } from '../factors/accounts.factors.sql.ts';
import { ownPermissions, ownRoleId } from '../roles/accounts.roles.sql.ts';
import { deleteLinksOf } from './accounts.links.sql.ts';

export interface SessionOwner {
  accountId: string;
  accountName: string;
  isSuspended: boolean;
  id: string;
  email: string;
  name: string;
  role: Role;
  roleId: string | null;
  /** Of the account's own role. */
  permissions: Permission[] | null;
  isInstanceAdmin: boolean;
  language: LanguageName | null;
  theme: ThemeName;
  undoSendSeconds: (typeof undoSendChoices)[number];
  seenRelease: string | null;
  availability: Availability;
  /** The account requires a second factor, and the user has none. */
  mustSetUpFactor: boolean;
  /** For administrators; empty: from everywhere. */
  adminAddresses: string[];
}

/** Null: with a password or a passkey. */
export type SessionMethod = 'oidc' | 'login_link' | null;

/**
 * For statements over `users u`, `accounts a` and `user_sessions s`. A user who signed in with the provider needs no factor
 * here: that is for the provider to ask.
 */
export const mustSetUpFactor = sql`(a.requires_factor and s.method is distinct from 'oidc' and not ${hasFactor})`;

export interface NewSessionRow {
  id: string;
  userId: string;
  refreshHash: Buffer;
  familyHash: Buffer;
  now: number;
  expiresAt: number;
  endsAt: number;
  address: string;
  userAgent: string | null;
  method: SessionMethod;
}

export async function insertSession(tx: Tx, accountId: string, session: NewSessionRow): Promise<void> {
  await tx.query(sql`
    insert into user_sessions (account_id, id, user_id, refresh_hash, family_hash, refreshed_at, expires_at, ends_at,
      created_at, address, user_agent, method)
    values (${accountId}, ${session.id}, ${session.userId}, ${session.refreshHash}, ${session.familyHash},
      ${session.now}, ${session.expiresAt}, ${session.endsAt}, ${session.now}, ${session.address},
      ${session.userAgent}, ${session.method})`);
}

/** Changes of the password and of the factors wait until the transaction ends. Null: the user is gone. */
export async function lockCredentials(
  tx: Tx,
  accountId: string,
  userId: string,
): Promise<{ passwordHash: string; hasFactor: boolean } | null> {
  await tx.query(sql`select 1 from users where account_id = ${accountId} and id = ${userId} for share`);
  // A statement of its own: what others committed while this one waited for the lock counts.
  const [row] = await tx.query<{ passwordHash: string; hasFactor: boolean }>(sql`
    select u.password_hash as "passwordHash", ${hasFactor} as "hasFactor" from users u
    where u.account_id = ${accountId} and u.id = ${userId}`);
  return row ?? null;
}

/** When the session began, if it began with the provider. */
export async function findProviderSession(
  db: Reader,
  accountId: string,
  id: string,
): Promise<{ createdAt: number } | null> {
  const [row] = await db.query<{ createdAt: number }>(sql`
    select created_at as "createdAt" from user_sessions
    where account_id = ${accountId} and id = ${id} and method = 'oidc'`);
  return row ?? null;
}

export interface LockedSession {
  id: string;
  generation: number;
  refreshHash: Buffer;
  previousRefreshHash: Buffer | null;
  refreshedAt: number;
  expiresAt: number;
  createdAt: number;
  endsAt: number | null;
  user: SessionOwner;
}

interface LockedRow extends Omit<LockedSession, 'user' | 'id'>, SessionOwner {
  sessionId: string;
}

/** The session of a cookie, also of an earlier cookie. Renewals of one session wait for each other. */
export async function lockSessionOfCookie(
  tx: Tx,
  cookie: { hash: Buffer; familyHash: Buffer | null },
): Promise<LockedSession | null> {
  const [row] = await tx.query<LockedRow>(sql`
    select s.id as "sessionId", s.generation, s.refresh_hash as "refreshHash",
      s.previous_refresh_hash as "previousRefreshHash", s.refreshed_at as "refreshedAt", s.expires_at as "expiresAt",
      s.created_at as "createdAt", s.ends_at as "endsAt", s.account_id as "accountId", a.name as "accountName",
      a.suspended_at is not null as "isSuspended",
      u.id, u.email, u.name, u.role, ${ownRoleId} as "roleId", ${ownPermissions} as permissions, u.is_instance_admin as "isInstanceAdmin", u.language, u.theme,
      u.undo_send_seconds as "undoSendSeconds", u.seen_release as "seenRelease", u.availability,
      ${mustSetUpFactor} as "mustSetUpFactor", a.admin_addresses as "adminAddresses"
    from user_sessions s
    join users u on u.account_id = s.account_id and u.id = s.user_id
    join accounts a on a.id = s.account_id
    where s.family_hash = ${cookie.familyHash} or s.refresh_hash = ${cookie.hash}
      or s.previous_refresh_hash = ${cookie.hash}
    for update of s`);
  if (!row) return null;
  const { sessionId, generation, refreshHash, previousRefreshHash, refreshedAt, ...rest } = row;
  const { expiresAt, createdAt, endsAt, ...user } = rest;
  return {
    id: sessionId,
    generation,
    refreshHash,
    previousRefreshHash,
    refreshedAt,
    expiresAt,
    createdAt,
    endsAt,
    user,
  };
}

export async function rotateSession(
  tx: Tx,
  accountId: string,
  id: string,
  next: {
    refreshHash: Buffer;
    familyHash: Buffer;
    generation: number;
    now: number;
    expiresAt: number;
    address: string;
    userAgent: string | null;
  },
): Promise<void> {
  await tx.query(sql`
    update user_sessions set previous_refresh_hash = refresh_hash, refresh_hash = ${next.refreshHash},
      family_hash = ${next.familyHash}, generation = ${next.generation}, refreshed_at = ${next.now},
      expires_at = ${next.expiresAt}, address = ${next.address}, user_agent = ${next.userAgent}
    where account_id = ${accountId} and id = ${id}`);
}

export interface SessionRow {
  id: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  address: string | null;
  userAgent: string | null;
}

/** The caller's own first, then the most recently used. */
export async function selectSessions(
  db: Reader,
  accountId: string,
  { userId, current, now, limit }: { userId: string; current: string; now: number; limit: number },
): Promise<SessionRow[]> {
  return db.query<SessionRow>(sql`
    select id, created_at as "createdAt", refreshed_at as "lastUsedAt", expires_at as "expiresAt", address,
      user_agent as "userAgent"
    from user_sessions where account_id = ${accountId} and user_id = ${userId} and expires_at > ${now}
    order by (id = ${current}) desc, refreshed_at desc, id limit ${limit}`);
}

/** Whether the user had it. */
export async function deleteSessionOfUser(
  tx: Tx,
  accountId: string,
  userId: string,
  id: string,
): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from user_sessions where account_id = ${accountId} and user_id = ${userId} and id = ${id} returning 1`);
  return deleted.length > 0;
}

export async function deleteSession(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from user_sessions where account_id = ${accountId} and id = ${id}`);
}

export async function deleteSessionByRefresh(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query(
    sql`delete from user_sessions where refresh_hash = ${hash} or previous_refresh_hash = ${hash}`,
  );
}

/** All sessions of a user except the one given, and the links with which one could be begun. */
export async function deleteSessions(
  tx: Tx,
  accountId: string,
  userId: string,
  except: string | null,
): Promise<void> {
  await tx.query(sql`
    delete from user_sessions
    where account_id = ${accountId} and user_id = ${userId} and id is distinct from ${except}::uuid`);
  await deleteLinksOf(tx, accountId, userId);
}

export async function deleteExpiredSessions(tx: Tx, now: number): Promise<void> {
  await tx.query(sql`delete from user_sessions where expires_at <= ${now}`);
}
