/** The directory: which account lives in which cell, and whose e-mail addresses are in use. In the home cell. */
import type { Db, Reader, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { homeCell } from './cell-settings.ts';

/** Null: it is not listed, so it lives in the home cell or does not exist. */
export async function findCell(home: Reader, accountId: string): Promise<string | null> {
  const [row] = await home.query<{ cell: string }>(
    sql`select cell from cell_accounts where account_id = ${accountId}`,
  );
  return row?.cell ?? null;
}

export async function placeAccount(tx: Tx, accountId: string, cell: string): Promise<void> {
  await tx.query(sql`insert into cell_accounts (account_id, cell) values (${accountId}, ${cell})`);
}

/** After its creation failed. */
export async function forgetAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from cell_accounts where account_id = ${accountId}`);
}

/** It was deleted: its addresses are free. */
export async function forgetDeletedAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from cell_emails where account_id = ${accountId}`);
  await forgetAccount(tx, accountId);
}

export async function findAccountOfEmail(home: Reader, email: string): Promise<string | null> {
  const [row] = await home.query<{ accountId: string }>(sql`
    select e.account_id as "accountId" from cell_emails e
    where e.email = ${email} and exists (select from cell_accounts c where c.account_id = e.account_id)`);
  return row?.accountId ?? null;
}

/**
 * Null: the address now belongs to the account. Otherwise whose it is. Committed at once: if the user is then not
 * created, the entry is one without a user, which `takeOverEmail` ends.
 */
export async function claimEmail(home: Db, email: string, accountId: string): Promise<string | null> {
  return home.transaction(async (tx) => {
    const [user] = await tx.query<{ accountId: string }>(sql`
      select u.account_id as "accountId" from users u
      where u.email = ${email} and u.account_id <> ${accountId}
        and not exists (select from cell_accounts c where c.account_id = u.account_id and c.cell <> ${homeCell})`);
    if (user) return user.accountId;
    const [claimed] = await tx.query(sql`
      insert into cell_emails (email, account_id) values (${email}, ${accountId})
      on conflict (email) do update set claimed_at = now() where cell_emails.account_id = ${accountId}
      returning 1`);
    if (claimed) return null;
    const [other] = await tx.query<{ accountId: string }>(
      sql`select account_id as "accountId" from cell_emails where email = ${email}`,
    );
    return other?.accountId ?? accountId;
  });
}

/** For an entry without a user. Not one of the last minute: its user may just be in the making. */
export async function takeOverEmail(
  home: Db,
  email: string,
  from: string,
  accountId: string,
): Promise<boolean> {
  const taken = await home.autocommit(sql`
    update cell_emails set account_id = ${accountId}, claimed_at = now()
    where email = ${email} and account_id = ${from} and claimed_at < now() - interval '1 minute'
    returning 1`);
  return taken.length > 0;
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
