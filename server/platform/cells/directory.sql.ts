/** The directory: which account lives in which cell, and whose e-mail addresses are in use. In the home cell. */
import type { Db, Reader, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { homeCell } from './cell-settings.ts';
import { isNotElsewhere } from './move/served-here.ts';

/** Null: it is not listed, so it lives in the home cell or does not exist. */
export async function findCell(home: Reader, accountId: string): Promise<string | null> {
  const [row] = await home.query<{ cell: string }>(
    sql`select cell from cell_accounts where account_id = ${accountId}`,
  );
  return row?.cell ?? null;
}

/** Like `findCell`, with the accounts of the home cell, not what one has left there; null: there is no such account. */
export async function locateAccount(home: Reader, accountId: string): Promise<string | null> {
  const [row] = await home.query<{ cell: string | null }>(sql`
    select coalesce((select cell from cell_accounts where account_id = ${accountId}),
      (select ${homeCell}::text from accounts where id = ${accountId} and ${isNotElsewhere(sql`accounts.id`)})) as cell`);
  return row?.cell ?? null;
}

/** The account is about to be created there. */
export async function reserveAccount(
  tx: Tx,
  { accountId, cell, request }: { accountId: string; cell: string; request: Buffer | null },
): Promise<void> {
  await tx.query(sql`
    insert into cell_accounts (account_id, cell, reserved_at, request_hash)
    values (${accountId}, ${cell}, now(), ${request})`);
}

/** As long as answers are kept for their Idempotency-Key. */
const requestHours = 72;

export async function findReserved(
  home: Reader,
  request: Buffer,
): Promise<{ accountId: string; cell: string } | null> {
  const [row] = await home.query<{ accountId: string; cell: string }>(sql`
    select account_id as "accountId", cell from cell_accounts
    where request_hash = ${request} and placed_at > now() - make_interval(hours => ${requestHours})
    order by placed_at limit 1`);
  return row ?? null;
}

/** The account exists there. */
export async function confirmAccount(tx: Tx, accountId: string, cell: string): Promise<void> {
  await tx.query(sql`
    insert into cell_accounts (account_id, cell) values (${accountId}, ${cell})
    on conflict (account_id) do update set reserved_at = null where cell_accounts.reserved_at is not null`);
}

/** The account was not created: what was kept for it is free again. */
export async function releaseAccount(tx: Tx, accountId: string): Promise<void> {
  const released = await tx.query(sql`
    delete from cell_accounts where account_id = ${accountId} and reserved_at is not null returning 1`);
  if (released.length > 0) await tx.query(sql`delete from cell_emails where account_id = ${accountId}`);
}

/** So old that their requests have ended, with an answer or with their process. */
export async function selectReserved(
  home: Reader,
  olderThanSeconds: number,
): Promise<{ accountId: string; cell: string }[]> {
  return home.query(sql`
    select account_id as "accountId", cell from cell_accounts
    where reserved_at < now() - make_interval(secs => ${olderThanSeconds}) order by reserved_at limit 100`);
}

/** It was deleted in this cell: its addresses are free. False: it lives in another one. */
export async function forgetDeletedAccount(tx: Tx, accountId: string, cell: string): Promise<boolean> {
  const [listed] = await tx.query<{ cell: string }>(
    sql`select cell from cell_accounts where account_id = ${accountId} for update`,
  );
  if (listed && listed.cell !== cell) return false;
  await tx.query(sql`delete from cell_emails where account_id = ${accountId}`);
  await tx.query(sql`delete from cell_slugs where account_id = ${accountId}`);
  await tx.query(sql`delete from cell_channels where account_id = ${accountId}`);
  await tx.query(sql`delete from account_moves where account_id = ${accountId} and ended_at is not null`);
  await tx.query(sql`delete from cell_accounts where account_id = ${accountId}`);
  return true;
}

export async function findAccountOfEmail(home: Reader, email: string): Promise<string | null> {
  const [row] = await home.query<{ accountId: string }>(sql`
    select e.account_id as "accountId" from cell_emails e
    where e.email = ${email} and exists (select from cell_accounts c where c.account_id = e.account_id)`);
  return row?.accountId ?? null;
}

/** Null: the address now belongs to the account. Otherwise whose it is. */
export async function claimEmail(home: Tx, email: string, accountId: string): Promise<string | null> {
  const [user] = await home.query<{ accountId: string }>(sql`
    select u.account_id as "accountId" from users u
    where u.email = ${email} and u.account_id <> ${accountId}
      and not exists (select from cell_accounts c where c.account_id = u.account_id and c.cell <> ${homeCell})`);
  if (user) return user.accountId;
  const [claimed] = await home.query(sql`
    insert into cell_emails (email, account_id) values (${email}, ${accountId})
    on conflict (email) do update set claimed_at = now() where cell_emails.account_id = ${accountId}
    returning 1`);
  if (claimed) return null;
  const [other] = await home.query<{ accountId: string }>(
    sql`select account_id as "accountId" from cell_emails where email = ${email}`,
  );
  return other?.accountId ?? accountId;
}

/** The account was not restored: what was claimed for it is free again. */
export async function releaseEmails(home: Tx, accountId: string): Promise<void> {
  await home.query(sql`
    delete from cell_emails where account_id = ${accountId}
      and not exists (select from cell_accounts where account_id = ${accountId})
      and not exists (select from accounts where id = ${accountId})`);
}

/** For an entry without a user. Not one of the last minute: its user may just be in the making. */
export async function takeOverEmail(
  home: Tx,
  email: string,
  from: string,
  accountId: string,
): Promise<boolean> {
  const taken = await home.query(sql`
    update cell_emails set account_id = ${accountId}, claimed_at = now()
    where email = ${email} and account_id = ${from} and claimed_at < now() - interval '1 minute'
    returning 1`);
  return taken.length > 0;
}

/**
 * False: another account has it. Slugs of the home cell that were taken before there were other cells are found in
 * help_slugs only.
 */
export async function claimSlug(home: Tx, slug: string, accountId: string): Promise<boolean> {
  const rows = await home.query(sql`
    insert into cell_slugs (slug, account_id)
    select ${slug}, ${accountId}
    where not exists (select from help_slugs where slug = ${slug} and account_id <> ${accountId})
    on conflict (slug) do update set claimed_at = now()
      where cell_slugs.account_id = excluded.account_id
    returning 1`);
  return rows.length > 0;
}

/** Null: a channel of another cell that was never noted, or none. */
export async function findAccountOfChannel(home: Reader, channelId: string): Promise<string | null> {
  const [row] = await home.query<{ accountId: string }>(sql`
    select account_id as "accountId" from cell_channels where channel_id = ${channelId}
    union all
    select account_id from channels where id = ${channelId} limit 1`);
  return row?.accountId ?? null;
}

export async function noteChannels(home: Db, channelIds: string[], accountId: string): Promise<void> {
  await home.autocommit(sql`
    insert into cell_channels (channel_id, account_id)
    select id, ${accountId}::uuid from unnest(${channelIds}::uuid[]) as ids (id)
    on conflict (channel_id) do nothing`);
}

export interface CellRow {
  name: string;
  weight: number;
  drained: boolean;
}

/** Those that were never changed have no row. */
export async function selectCells(home: Reader): Promise<CellRow[]> {
  return home.query<CellRow>(sql`select name, weight, drained from cells`);
}

export async function saveCell(tx: Tx, { name, weight, drained }: CellRow): Promise<void> {
  await tx.query(sql`
    insert into cells (name, weight, drained) values (${name}, ${weight}, ${drained})
    on conflict (name) do update set weight = excluded.weight, drained = excluded.drained`);
}

/** Accounts by cell, those of the home cell included. */
export async function countAccounts(home: Reader): Promise<Map<string, number>> {
  const rows = await home.query<{ cell: string; accounts: number }>(sql`
    select cell, count(*)::int as accounts from cell_accounts group by cell
    union all
    select ${homeCell}, count(*)::int from accounts a
    where not exists (select from cell_accounts c where c.account_id = a.id)`);
  const counts = new Map<string, number>();
  for (const { cell, accounts } of rows) counts.set(cell, (counts.get(cell) ?? 0) + accounts);
  return counts;
}

/** For the caches of other processes. Overlaps: a row is visible only some time after its time. */
export async function selectPlacedSince(
  home: Reader,
  seconds: number,
): Promise<{ accountId: string; cell: string }[]> {
  return home.query(sql`
    select account_id as "accountId", cell from cell_accounts
    where placed_at > now() - make_interval(secs => ${seconds})`);
}
