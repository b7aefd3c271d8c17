import { isNotElsewhere } from '../../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasFactor } from '../factors/accounts.factors.sql.ts';
import { ownPermissions, ownRoleId } from '../roles/accounts.roles.sql.ts';
import type { SessionOwner } from './accounts.sessions.sql.ts';

export interface LoginUser extends SessionOwner {
  passwordHash: string;
  hasFactor: boolean;
}

const loginColumns = sql`u.account_id as "accountId", a.name as "accountName",
  a.suspended_at is not null as "isSuspended", u.id, u.email, u.name, u.role, ${ownRoleId} as "roleId", ${ownPermissions} as permissions,
  u.password_hash as "passwordHash", u.is_instance_admin as "isInstanceAdmin", u.language, u.theme,
  u.undo_send_seconds as "undoSendSeconds", u.seen_release as "seenRelease", u.availability,
  ${hasFactor} as "hasFactor", a.admin_addresses as "adminAddresses",
  a.requires_factor and not ${hasFactor} as "mustSetUpFactor"`;

/** By e-mail only: addresses are unique in the instance, and the account is not known before the login. */
export async function findLogin(db: Reader, email: string): Promise<LoginUser | null> {
  const [user] = await db.query<LoginUser>(sql`
    select ${loginColumns} from users u join accounts a on a.id = u.account_id where u.email = ${email}
      and ${isNotElsewhere(sql`u.account_id`)}`);
  return user ?? null;
}

/**
 * Of an account that is known, and whose cell the request was sent to. Rows that a move has left may be found by a process
 * that has not heard of it; the session cannot be written then, and the answer is a 503 instead of a wrong 401.
 */
export async function findLoginById(db: Reader, accountId: string, id: string): Promise<LoginUser | null> {
  const [user] = await db.query<LoginUser>(sql`
    select ${loginColumns} from users u join accounts a on a.id = u.account_id
    where u.account_id = ${accountId} and u.id = ${id}`);
  return user ?? null;
}

export interface LoginAttempt {
  id: string;
  /** Hash of the address and the e-mail address. */
  who: Buffer;
  /** Hash of the address. */
  address: Buffer;
  now: number;
}

/** Until the transaction ends, no other process records an attempt from this address. */
export async function lockAttempts(tx: Tx, address: Buffer): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7231003, hashtext(encode(${address}::bytea, 'hex')))`);
}

export interface RecentAttempt {
  failedAt: number;
  isOpen: boolean;
  isSameUser: boolean;
}

/** Of one address, newest first. */
export async function selectAttempts(
  tx: Tx,
  { who, address }: LoginAttempt,
  since: number,
): Promise<RecentAttempt[]> {
  return tx.query<RecentAttempt>(sql`
    select failed_at as "failedAt", is_open as "isOpen", who = ${who} as "isSameUser" from login_failures
    where (address = ${address} or who = ${who}) and failed_at > ${since}
    order by failed_at desc`);
}

export async function insertAttempt(tx: Tx, { id, who, address, now }: LoginAttempt): Promise<void> {
  await tx.query(sql`
    insert into login_failures (who, id, address, failed_at, is_open)
    values (${who}, ${id}, ${address}, ${now}, true)`);
}

export async function closeAttempt(tx: Tx, { who, id }: LoginAttempt): Promise<void> {
  await tx.query(sql`update login_failures set is_open = false where who = ${who} and id = ${id}`);
}

export async function deleteAttempt(tx: Tx, { who, id }: LoginAttempt): Promise<void> {
  await tx.query(sql`delete from login_failures where who = ${who} and id = ${id}`);
}

export async function deleteAttemptsBefore(tx: Tx, before: number): Promise<void> {
  await tx.query(sql`delete from login_failures where failed_at < ${before}`);
}
