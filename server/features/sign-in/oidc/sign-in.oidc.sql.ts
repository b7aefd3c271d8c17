import { isNotElsewhere } from '../../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface IdentityOwner {
  accountId: string;
  userId: string;
}

/** By the provider's name of the person only: the account is not known before. */
export async function findIdentity(
  db: Reader,
  issuer: string,
  subject: string,
): Promise<IdentityOwner | null> {
  const [row] = await db.query<IdentityOwner>(sql`
    select account_id as "accountId", user_id as "userId" from user_identities
    where issuer = ${issuer} and subject = ${subject} and ${isNotElsewhere(sql`user_identities.account_id`)}`);
  return row ?? null;
}

/** False: the user is linked to another subject of the issuer already. */
export async function insertIdentity(
  tx: Tx,
  accountId: string,
  identity: { userId: string; issuer: string; subject: string; now: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into user_identities (account_id, user_id, issuer, subject, linked_at)
    values (${accountId}, ${identity.userId}, ${identity.issuer}, ${identity.subject}, ${identity.now})
    on conflict do nothing returning 1`);
  return rows.length > 0;
}

/** Whether this is its first use. */
export async function useState(tx: Tx, stateHash: Buffer, expiresAt: number): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into oidc_used_states (state_hash, expires_at) values (${stateHash}, ${expiresAt})
    on conflict do nothing returning 1`);
  return rows.length > 0;
}

export async function deleteStatesBefore(tx: Tx, before: number): Promise<void> {
  await tx.query(sql`delete from oidc_used_states where expires_at < ${before}`);
}
