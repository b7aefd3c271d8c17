import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** For statements over `users u`: whether the user has an app or a passkey. */
export const hasFactor = sql`(
  exists (select from user_totp f where f.account_id = u.account_id and f.user_id = u.id and f.confirmed_at is not null)
  or exists (select from user_passkeys p where p.account_id = u.account_id and p.user_id = u.id))`;

export interface FactorState {
  hasTotp: boolean;
  passkeys: number;
  recoveryCodes: number;
  isRequired: boolean;
}

export async function selectFactorState(
  db: Reader,
  accountId: string,
  userId: string,
): Promise<FactorState | null> {
  const [row] = await db.query<FactorState>(sql`
    select
      exists (select from user_totp f
        where f.account_id = u.account_id and f.user_id = u.id and f.confirmed_at is not null) as "hasTotp",
      (select count(*)::int from user_passkeys p where p.account_id = u.account_id and p.user_id = u.id) as passkeys,
      (select count(*)::int from user_recovery_codes c
        where c.account_id = u.account_id and c.user_id = u.id) as "recoveryCodes",
      a.requires_factor as "isRequired"
    from users u join accounts a on a.id = u.account_id where u.account_id = ${accountId} and u.id = ${userId}`);
  return row ?? null;
}

/** Changes of a user's factors wait for each other. */
export async function lockFactors(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.query(
    sql`select 1 from users where account_id = ${accountId} and id = ${userId} for no key update`,
  );
}

export interface TotpRow {
  secret: string;
  confirmedAt: number | null;
  lastStep: number | null;
  createdAt: number;
}

export async function findTotp(db: Reader, accountId: string, userId: string): Promise<TotpRow | null> {
  const [row] = await db.query<TotpRow>(sql`
    select secret, confirmed_at as "confirmedAt", last_step as "lastStep", created_at as "createdAt" from user_totp
    where account_id = ${accountId} and user_id = ${userId}`);
  return row ?? null;
}

/** Whether it was saved: one that is confirmed stays. */
export async function saveTotpSetup(
  tx: Tx,
  accountId: string,
  userId: string,
  { secret, now }: { secret: string; now: number },
): Promise<boolean> {
  const saved = await tx.query(sql`
    insert into user_totp (account_id, user_id, secret, created_at)
    values (${accountId}, ${userId}, ${secret}, ${now})
    on conflict (account_id, user_id) do update set secret = excluded.secret, created_at = excluded.created_at
      where user_totp.confirmed_at is null
    returning 1`);
  return saved.length > 0;
}

/** Whether this is still the set-up that was checked. */
export async function confirmTotp(
  tx: Tx,
  accountId: string,
  userId: string,
  { secret, step, now }: { secret: string; step: number; now: number },
): Promise<boolean> {
  const confirmed = await tx.query(sql`
    update user_totp set confirmed_at = ${now}, last_step = ${step}
    where account_id = ${accountId} and user_id = ${userId} and secret = ${secret} and confirmed_at is null
    returning 1`);
  return confirmed.length > 0;
}

/** Whether no code of this step or a later one was used before: of two requests, in any process, one gets true. */
export async function takeStep(tx: Tx, accountId: string, userId: string, step: number): Promise<boolean> {
  const used = await tx.query(sql`
    update user_totp set last_step = ${step}
    where account_id = ${accountId} and user_id = ${userId} and confirmed_at is not null
      and (last_step is null or last_step < ${step})
    returning 1`);
  return used.length > 0;
}

export async function deleteTotp(tx: Tx, accountId: string, userId: string): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from user_totp where account_id = ${accountId} and user_id = ${userId}
    returning confirmed_at is not null as "wasConfirmed"`);
  return deleted.some((row) => (row as { wasConfirmed: boolean }).wasConfirmed);
}

export async function deleteRecoveryCodes(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.query(
    sql`delete from user_recovery_codes where account_id = ${accountId} and user_id = ${userId}`,
  );
}

export async function insertRecoveryCodes(
  tx: Tx,
  accountId: string,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.query(sql`
    insert into user_recovery_codes (account_id, user_id, code_hash)
    select ${accountId}, ${userId}, hash from unnest(${hashes}::bytea[]) as new (hash)`);
}

/** Whether the user had it: deleting the code uses it. */
export async function takeRecoveryCode(
  tx: Tx,
  accountId: string,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const used = await tx.query(sql`
    delete from user_recovery_codes
    where account_id = ${accountId} and user_id = ${userId} and code_hash = ${hash} returning 1`);
  return used.length > 0;
}

/** Whether it was not used before, in any process. */
export async function spendTicket(
  tx: Tx,
  accountId: string,
  { hash, expiresAt }: { hash: Buffer; expiresAt: number },
): Promise<boolean> {
  const spent = await tx.query(sql`
    insert into spent_sign_in_tickets (account_id, ticket_hash, expires_at)
    values (${accountId}, ${hash}, ${expiresAt}) on conflict do nothing returning 1`);
  return spent.length > 0;
}

export async function deleteSpentTickets(tx: Tx, now: number): Promise<void> {
  await tx.query(sql`delete from spent_sign_in_tickets where expires_at <= ${now}`);
}

export async function deletePasskeys(tx: Tx, accountId: string, userId: string): Promise<number> {
  const deleted = await tx.query(sql`
    delete from user_passkeys where account_id = ${accountId} and user_id = ${userId} returning 1`);
  return deleted.length;
}
