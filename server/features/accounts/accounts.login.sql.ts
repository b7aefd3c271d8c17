import type { LanguageName, Role } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';

export interface LoginUser {
  accountId: string;
  accountName: string;
  id: string;
  email: string;
  name: string;
  role: Role;
  passwordHash: string;
  isInstanceAdmin: boolean;
  language: LanguageName | null;
}

interface LoginRow {
  account_id: string;
  account_name: string;
  id: string;
  email: string;
  name: string;
  role: Role;
  password_hash: string;
  is_instance_admin: boolean;
  language: LanguageName | null;
}

function toLoginUser(row: LoginRow): LoginUser {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    passwordHash: row.password_hash,
    isInstanceAdmin: row.is_instance_admin,
    language: row.language,
  };
}

/** By e-mail alone: addresses are unique in the instance, and the account is not known before the login. */
export async function findLogin(db: Reader, email: string): Promise<LoginUser | null> {
  const [row] = await db.query<LoginRow>(sql`
    select u.account_id, a.name as account_name, u.id, u.email, u.name, u.role, u.password_hash,
      u.is_instance_admin, u.language
    from users u join accounts a on a.id = u.account_id where u.email = ${email}`);
  return row ? toLoginUser(row) : null;
}

export interface LoginAttempt {
  who: Buffer;
  id: string;
  now: number;
}

export interface LoginWindow {
  ms: number;
  max: number;
  /** How long an attempt that is still being looked at may be one that will succeed. */
  openMs: number;
}

/** Books an attempt unless the window is full. The lock makes attempts for one address and user stand in a line. */
export async function insertLoginAttempt(
  tx: Tx,
  { who, id, now }: LoginAttempt,
  window: LoginWindow,
): Promise<{ booked: true } | { booked: false; mayOpen: boolean; retryAfterMs: number }> {
  await tx.query(sql`select pg_advisory_xact_lock(7231003, hashtext(encode(${who}::bytea, 'hex')))`);
  const recent = await tx.query<{ failed_at: number; is_open: boolean }>(sql`
    select failed_at, is_open from login_failures where who = ${who} and failed_at > ${now - window.ms}
    order by failed_at desc limit ${window.max}`);
  const oldest = recent[window.max - 1]?.failed_at;
  if (oldest !== undefined) {
    const mayOpen = recent.some((one) => one.is_open && one.failed_at > now - window.openMs);
    return { booked: false, mayOpen, retryAfterMs: oldest + window.ms - now };
  }
  await tx.query(
    sql`insert into login_failures (who, id, failed_at, is_open) values (${who}, ${id}, ${now}, true)`,
  );
  return { booked: true };
}

export async function closeLoginAttempt(tx: Tx, { who, id }: LoginAttempt): Promise<void> {
  await tx.query(sql`update login_failures set is_open = false where who = ${who} and id = ${id}`);
}

export async function deleteLoginAttempt(tx: Tx, { who, id }: LoginAttempt): Promise<void> {
  await tx.query(sql`delete from login_failures where who = ${who} and id = ${id}`);
}

export async function insertSession(
  tx: Tx,
  accountId: string,
  session: { id: string; userId: string; refreshHash: Buffer; now: number; expiresAt: number },
): Promise<void> {
  await tx.query(sql`
    insert into user_sessions (account_id, id, user_id, refresh_hash, refreshed_at, expires_at, created_at)
    values (${accountId}, ${session.id}, ${session.userId}, ${session.refreshHash}, ${session.now},
      ${session.expiresAt}, ${session.now})`);
}

export async function renewSession(
  tx: Tx,
  hash: Buffer,
  nextHash: Buffer,
  times: { now: number; expiresAt: number; oldCookieSince: number },
): Promise<{ user: LoginUser; sessionId: string; rotated: boolean } | null> {
  const [row] = await tx.query<LoginRow & { session_id: string; rotated: boolean }>(sql`
    with found as (
      select s.account_id, s.id, s.user_id, s.refresh_hash = ${hash} as is_current
      from user_sessions s
      where s.expires_at > ${times.now} and (s.refresh_hash = ${hash}
        or (s.previous_refresh_hash = ${hash} and s.refreshed_at > ${times.oldCookieSince}))
      for update of s
    ), renewed as (
      update user_sessions s set refresh_hash = ${nextHash}, previous_refresh_hash = ${hash},
        refreshed_at = ${times.now}, expires_at = ${times.expiresAt}
      from found f where f.is_current and s.account_id = f.account_id and s.id = f.id
    )
    select f.account_id, a.name as account_name, u.id, u.email, u.name, u.role, u.password_hash,
      u.is_instance_admin, u.language, f.id as session_id, f.is_current as rotated
    from found f
    join users u on u.account_id = f.account_id and u.id = f.user_id
    join accounts a on a.id = f.account_id`);
  return row ? { user: toLoginUser(row), sessionId: row.session_id, rotated: row.rotated } : null;
}

export async function deleteSession(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from user_sessions where account_id = ${accountId} and id = ${id}`);
}

export async function deleteSessionByRefresh(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query(
    sql`delete from user_sessions where refresh_hash = ${hash} or previous_refresh_hash = ${hash}`,
  );
}

/** All logins of a user but the one named. */
export async function deleteSessions(
  tx: Tx,
  accountId: string,
  userId: string,
  except: string | null,
): Promise<void> {
  await tx.query(sql`
    delete from user_sessions
    where account_id = ${accountId} and user_id = ${userId} and id is distinct from ${except}::uuid`);
}

export async function deleteExpiredLogins(tx: Tx, now: number, failuresBefore: number): Promise<void> {
  await tx.query(sql`delete from user_sessions where expires_at <= ${now}`);
  await tx.query(sql`delete from login_failures where failed_at < ${failuresBefore}`);
}
