/** How much of its quotas an account has used. Daily quotas count UTC days. */
import type { AccountUsage } from '../../../contract/accounts.ts';
import type { Reader } from '../db/db.ts';
import { sql } from '../db/sql.ts';

/** `YYYY-MM-DD` in UTC. */
export const utcDay = (now: number): string => new Date(now).toISOString().slice(0, 10);

export async function readAccountUsage(db: Reader, accountId: string, now: number): Promise<AccountUsage> {
  const [row] = await db.query<AccountUsage>(sql`
    select coalesce((select bytes from storage_usage where account_id = ${accountId}), 0)::bigint as "storageBytes",
      coalesce((select replies from ai_reply_usage where account_id = ${accountId} and day >= ${utcDay(now)}::date), 0)
        as "aiRepliesToday"`);
  return row!;
}
