/** One account out of a backup: what is checked before its rows are written, and what is written besides them. */
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

/** The account's rows are no news, and nothing is sent before somebody has looked at it. */
export async function finishAccount(tx: Tx, accountId: string, now: number, reason: string): Promise<void> {
  await tx.query(sql`
    update accounts set suspended_at = coalesce(suspended_at, ${now}), suspended_reason = coalesce(suspended_reason, ${reason}),
      deleting_at = null
    where id = ${accountId}`);
  await tx.query(sql`delete from live_changes where account_id = ${accountId}`);
}
