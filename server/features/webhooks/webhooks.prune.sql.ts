import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

const dayMs = 86_400_000;

/**
 * An event is removed with all its deliveries at once, so that the rest is consistent: a delivery removed before its
 * event would look as if the filters had excluded it.
 */
export async function deleteOldEvents(
  tx: Tx,
  now: number,
  heldSince: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from events where ctid = any(array(
      select e.ctid from accounts a join events e on e.account_id = a.id
      where e.created_at < ${now} - a.webhook_log_days * ${dayMs}::bigint
        and not exists (
          select from webhook_deliveries d
          where d.account_id = e.account_id and d.event_id = e.id
            and (d.status in ('pending', 'retrying') or d.status = 'held' and d.created_at >= ${heldSince}))
      limit ${limit}))
    returning 1`,
    { timeoutMs: 60_000 },
  );
  return rows.length;
}

export async function findLogDays(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ webhook_log_days: number }>(
    sql`select webhook_log_days from accounts where id = ${accountId}`,
  );
  return row!.webhook_log_days;
}

export async function updateLogDays(tx: Tx, accountId: string, days: number): Promise<void> {
  await tx.query(sql`update accounts set webhook_log_days = ${days} where id = ${accountId}`);
}
