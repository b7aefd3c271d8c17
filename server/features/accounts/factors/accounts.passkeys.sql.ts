import type { Passkey } from '../../../../contract/sign-in/second-factors.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

const shown = sql`id, name, created_at as "createdAt", last_used_at as "lastUsedAt"`;

export async function selectPasskeys(db: Reader, accountId: string, userId: string): Promise<Passkey[]> {
  return db.query<Passkey>(sql`
    select ${shown} from user_passkeys where account_id = ${accountId} and user_id = ${userId}
    order by created_at, id`);
}

export interface CredentialName {
  id: string;
  transports: string[];
}

export async function selectCredentials(
  db: Reader,
  accountId: string,
  userId: string,
): Promise<CredentialName[]> {
  return db.query<CredentialName>(sql`
    select credential_id as id, transports from user_passkeys
    where account_id = ${accountId} and user_id = ${userId} order by created_at, id`);
}

export interface StoredCredential {
  passkeyId: string;
  id: string;
  publicKey: Buffer;
  counter: number;
}

export async function findCredential(
  db: Reader,
  accountId: string,
  userId: string,
  credentialId: string,
): Promise<StoredCredential | null> {
  const [row] = await db.query<StoredCredential>(sql`
    select id as "passkeyId", credential_id as id, public_key as "publicKey", counter from user_passkeys
    where account_id = ${accountId} and user_id = ${userId} and credential_id = ${credentialId}`);
  return row ?? null;
}

export interface NewPasskey {
  id: string;
  userId: string;
  name: string;
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
  now: number;
}

export async function insertPasskey(tx: Tx, accountId: string, passkey: NewPasskey): Promise<Passkey> {
  const [row] = await tx.query<Passkey>(sql`
    insert into user_passkeys (account_id, id, user_id, name, credential_id, public_key, counter, transports, created_at)
    values (${accountId}, ${passkey.id}, ${passkey.userId}, ${passkey.name}, ${passkey.credentialId},
      ${passkey.publicKey}, ${passkey.counter}, ${passkey.transports}, ${passkey.now})
    returning ${shown}`);
  return row!;
}

/** Whether the counter has grown since, or the authenticator does not count. */
export async function notePasskeyUse(
  tx: Tx,
  accountId: string,
  id: string,
  { counter, now }: { counter: number; now: number },
): Promise<boolean> {
  const used = await tx.query(sql`
    update user_passkeys set counter = ${counter}, last_used_at = ${now}
    where account_id = ${accountId} and id = ${id}
      and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))
    returning 1`);
  return used.length > 0;
}

export async function renamePasskey(
  tx: Tx,
  accountId: string,
  userId: string,
  { id, name }: { id: string; name: string },
): Promise<Passkey | null> {
  const [row] = await tx.query<Passkey>(sql`
    update user_passkeys set name = ${name}
    where account_id = ${accountId} and user_id = ${userId} and id = ${id} returning ${shown}`);
  return row ?? null;
}

/** Its name; null: the user has no such passkey. */
export async function deletePasskey(
  tx: Tx,
  accountId: string,
  userId: string,
  id: string,
): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(sql`
    delete from user_passkeys where account_id = ${accountId} and user_id = ${userId} and id = ${id} returning name`);
  return row?.name ?? null;
}
