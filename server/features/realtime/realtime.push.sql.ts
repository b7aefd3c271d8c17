import type { LanguageName } from '../../../contract/limits.ts';
import type { PushSubscribe } from '../../../contract/realtime.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets/secrets.ts';

export interface KeyRow {
  publicKey: string;
  /** Sealed. */
  privateKey: string;
}

export async function findKeys(db: Reader): Promise<KeyRow | null> {
  const [row] = await db.query<KeyRow>(
    sql`select public_key as "publicKey", private_key as "privateKey" from push_keys`,
  );
  return row ?? null;
}

/** Of two processes that create keys at once, the first one's are kept. */
export async function insertKeys(tx: Tx, keys: KeyRow, now: number): Promise<void> {
  await tx.query(sql`
    insert into push_keys (public_key, private_key, created_at)
    values (${keys.publicKey}, ${keys.privateKey}, ${now}) on conflict do nothing`);
}

export interface SubscriptionRow {
  id: string;
  userId: string;
  language: LanguageName | null;
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** The browser belongs to this user from now on, also if another one was signed in there. */
export async function upsertSubscription(
  tx: Tx,
  accountId: string,
  userId: string,
  { endpoint, keys }: PushSubscribe,
  now: number,
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`
    insert into push_subscriptions as p (account_id, id, user_id, endpoint, endpoint_hash, p256dh, auth, created_at)
    values (${accountId}, ${newId(now)}, ${userId}, ${endpoint}, ${sha256(endpoint)}, ${keys.p256dh}, ${keys.auth}, ${now})
    on conflict (endpoint_hash) do update
    set account_id = excluded.account_id, user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth,
      id = case when p.account_id = excluded.account_id and p.user_id = excluded.user_id then p.id else excluded.id end
    returning p.id`);
  return row!.id;
}

/** Abandoned browsers: the oldest are removed. */
export async function keepNewest(tx: Tx, accountId: string, userId: string, most: number): Promise<void> {
  await tx.query(sql`
    delete from push_subscriptions where account_id = ${accountId} and id in (
      select id from push_subscriptions where account_id = ${accountId} and user_id = ${userId}
      order by created_at desc, id desc offset ${most})`);
}

export async function deleteSubscription(
  tx: Tx,
  accountId: string,
  id: string,
  userId: string | null,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from push_subscriptions
    where account_id = ${accountId} and id = ${id} and (${userId}::uuid is null or user_id = ${userId}::uuid)
    returning 1`);
  return rows.length > 0;
}

export async function selectSubscriptionIds(
  db: Reader,
  accountId: string,
  userId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from push_subscriptions where account_id = ${accountId} and user_id = ${userId} order by created_at`);
  return rows.map((row) => row.id);
}

export async function findSubscription(
  db: Reader,
  accountId: string,
  id: string,
): Promise<SubscriptionRow | null> {
  const [row] = await db.query<SubscriptionRow>(sql`
    select p.id, p.user_id as "userId", u.language, p.endpoint, p.p256dh, p.auth from push_subscriptions p
    join users u on u.account_id = p.account_id and u.id = p.user_id
    where p.account_id = ${accountId} and p.id = ${id}`);
  return row ?? null;
}
