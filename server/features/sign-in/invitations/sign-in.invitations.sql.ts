import type { Role } from '../../../../contract/limits.ts';
import type { Invitation, InvitationMailStatus } from '../../../../contract/sign-in/sign-in.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

interface InvitationRow {
  id: string;
  email: string;
  role: Role;
  role_id: string | null;
  invited_by: string;
  invited_by_name: string;
  is_mailed: boolean;
  mail_status: InvitationMailStatus | null;
  mail_problem: string | null;
  created_at: number;
  sent_at: number;
  expires_at: number;
}

const columns: Sql = sql`id, email, role, role_id, invited_by, invited_by_name, is_mailed, mail_status, mail_problem,
  created_at, sent_at, expires_at`;

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    roleId: row.role_id,
    invitedBy: { id: row.invited_by, name: row.invited_by_name },
    createdAt: row.created_at,
    sentAt: row.sent_at,
    expiresAt: row.expires_at,
    isMailed: row.is_mailed,
    // A process of an earlier release does not note it.
    mailStatus: row.is_mailed ? (row.mail_status ?? 'sent') : null,
    mailProblem: row.is_mailed ? row.mail_problem : null,
  };
}

export interface NewInvitation {
  id: string;
  email: string;
  role: Role;
  roleId: string | null;
  invitedBy: { id: string; name: string };
  tokenHash: Buffer;
  isMailed: boolean;
  now: number;
  expiresAt: number;
}

/** Null: the address has an invitation already. */
export async function insertInvitation(
  tx: Tx,
  accountId: string,
  one: NewInvitation,
): Promise<Invitation | null> {
  const [row] = await tx.query<InvitationRow>(sql`
    insert into invitations (account_id, id, email, role, role_id, token_hash, invited_by, invited_by_name, is_mailed,
      mail_status, created_at, sent_at, expires_at)
    values (${accountId}, ${one.id}, ${one.email}, ${one.role}, ${one.roleId}, ${one.tokenHash}, ${one.invitedBy.id},
      ${one.invitedBy.name}, ${one.isMailed}, ${one.isMailed ? 'sending' : null}::text, ${one.now}, ${one.now},
      ${one.expiresAt})
    on conflict (account_id, email) do nothing
    returning ${columns}`);
  return row ? toInvitation(row) : null;
}

export async function countInvitations(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from invitations where account_id = ${accountId}`,
  );
  return row!.count;
}

/** Oldest first. */
export async function selectInvitations(
  db: Reader,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<Invitation[]> {
  const rows = await db.query<InvitationRow>(sql`
    select ${columns} from invitations
    where account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid)
    order by id limit ${limit}`);
  return rows.map(toInvitation);
}

export async function findInvitation(db: Reader, accountId: string, id: string): Promise<Invitation | null> {
  const [row] = await db.query<InvitationRow>(sql`
    select ${columns} from invitations where account_id = ${accountId} and id = ${id}`);
  return row ? toInvitation(row) : null;
}

/** One that is still valid. */
export async function findInvitationByToken(
  db: Reader,
  accountId: string,
  tokenHash: Buffer,
  now: number,
): Promise<Invitation | null> {
  const [row] = await db.query<InvitationRow>(sql`
    select ${columns} from invitations
    where account_id = ${accountId} and token_hash = ${tokenHash} and expires_at > ${now}`);
  return row ? toInvitation(row) : null;
}

/** The same, and it cannot be used again. */
export async function takeInvitation(
  tx: Tx,
  accountId: string,
  tokenHash: Buffer,
  now: number,
): Promise<Invitation | null> {
  const [row] = await tx.query<InvitationRow>(sql`
    delete from invitations
    where account_id = ${accountId} and token_hash = ${tokenHash} and expires_at > ${now}
    returning ${columns}`);
  return row ? toInvitation(row) : null;
}

/** The earlier link is no longer valid. */
export async function renewInvitation(
  tx: Tx,
  accountId: string,
  id: string,
  next: { tokenHash: Buffer; isMailed: boolean; now: number; expiresAt: number },
): Promise<Invitation | null> {
  const [row] = await tx.query<InvitationRow>(sql`
    update invitations set token_hash = ${next.tokenHash}, is_mailed = ${next.isMailed},
      mail_status = ${next.isMailed ? 'sending' : null}::text, mail_problem = null, sent_at = ${next.now},
      expires_at = ${next.expiresAt}
    where account_id = ${accountId} and id = ${id}
    returning ${columns}`);
  return row ? toInvitation(row) : null;
}

/** Of the link that is valid now: a later one has a status of its own. */
export async function updateMailStatus(
  db: Db,
  accountId: string,
  tokenHash: Buffer,
  { status, problem }: { status: InvitationMailStatus; problem: string | null },
): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      update invitations set mail_status = ${status}, mail_problem = ${problem}
      where account_id = ${accountId} and token_hash = ${tokenHash} and is_mailed`),
  );
}

export async function deleteInvitation(tx: Tx, accountId: string, id: string): Promise<Invitation | null> {
  const [row] = await tx.query<InvitationRow>(sql`
    delete from invitations where account_id = ${accountId} and id = ${id} returning ${columns}`);
  return row ? toInvitation(row) : null;
}

export async function deleteInvitationsBefore(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.query(sql`delete from invitations where expires_at < ${expiredBefore}`);
}

/** Also those that have expired and are not removed yet: they refer to the role. */
export async function countInvitationsWithRole(
  db: Reader,
  accountId: string,
  roleId: string,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from invitations where account_id = ${accountId} and role_id = ${roleId}`);
  return row!.count;
}

/** With another hash, because a request that waits for this one may compare the time with an earlier one. */
export async function expireInvitationsOfRole(
  tx: Tx,
  accountId: string,
  roleId: string,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update invitations set token_hash = sha256(uuid_send(gen_random_uuid())), expires_at = least(expires_at, ${now})
    where account_id = ${accountId} and role_id = ${roleId}`);
}

export async function updateInvitationRoles(
  tx: Tx,
  accountId: string,
  roleId: string,
  next: string | null,
): Promise<void> {
  await tx.query(sql`
    update invitations set role_id = ${next} where account_id = ${accountId} and role_id = ${roleId}`);
}
