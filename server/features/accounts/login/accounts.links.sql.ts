import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export type LinkKind = 'password_reset' | 'login';

export interface NewLink {
  tokenHash: Buffer;
  userId: string;
  kind: LinkKind;
  now: number;
  expiresAt: number;
}

export async function insertLink(tx: Tx, accountId: string, link: NewLink): Promise<void> {
  await tx.query(sql`
    insert into sign_in_links (account_id, token_hash, user_id, kind, created_at, expires_at)
    values (${accountId}, ${link.tokenHash}, ${link.userId}, ${link.kind}, ${link.now}, ${link.expiresAt})`);
}

/** The user of a link that is still valid. */
export async function findLinkUser(
  db: Reader,
  accountId: string,
  { tokenHash, kind, now }: Pick<NewLink, 'tokenHash' | 'kind' | 'now'>,
): Promise<string | null> {
  const [row] = await db.query<{ userId: string }>(sql`
    select user_id as "userId" from sign_in_links
    where account_id = ${accountId} and token_hash = ${tokenHash} and kind = ${kind} and expires_at > ${now}`);
  return row?.userId ?? null;
}

/** The same, and it cannot be used again. */
export async function takeLink(
  tx: Tx,
  accountId: string,
  { tokenHash, kind, now }: Pick<NewLink, 'tokenHash' | 'kind' | 'now'>,
): Promise<string | null> {
  const [row] = await tx.query<{ userId: string }>(sql`
    delete from sign_in_links
    where account_id = ${accountId} and token_hash = ${tokenHash} and kind = ${kind} and expires_at > ${now}
    returning user_id as "userId"`);
  return row?.userId ?? null;
}

export async function deleteLinksOf(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.query(sql`delete from sign_in_links where account_id = ${accountId} and user_id = ${userId}`);
}

export async function deleteLinksOfRole(tx: Tx, accountId: string, roleId: string): Promise<void> {
  await tx.query(sql`
    delete from sign_in_links l using users u
    where l.account_id = ${accountId} and u.account_id = l.account_id and u.id = l.user_id and u.role_id = ${roleId}`);
}

export async function deleteLinksBefore(tx: Tx, before: number): Promise<void> {
  await tx.query(sql`delete from sign_in_links where expires_at < ${before}`);
}
