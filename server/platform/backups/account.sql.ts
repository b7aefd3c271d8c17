/** One account out of a backup: what is checked before its rows are written. */
import type { Reader, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';

export async function findAccountName(db: Reader, accountId: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(sql`select name from accounts where id = ${accountId}`);
  return row?.name ?? null;
}

export async function selectEmails(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    sql`select email from users where account_id = ${accountId} order by email`,
  );
  return rows.map(({ email }) => email);
}

/** Those that users of other accounts have. */
export async function selectTaken(db: Reader, emails: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    sql`select email from users where email = any(${emails}) order by email`,
  );
  return rows.map(({ email }) => email);
}

/** Files may be uploaded before the commit, which takes longer than the database lets a transaction wait. */
export async function allowWaiting(tx: Tx): Promise<void> {
  await tx.query(sql`set local idle_in_transaction_session_timeout = 0`);
}

export async function hasFiles(db: Reader, accountId: string): Promise<boolean> {
  return (await db.query(sql`select from attachments where account_id = ${accountId} limit 1`)).length > 0;
}
