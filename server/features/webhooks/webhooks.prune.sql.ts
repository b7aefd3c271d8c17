import type { Tx } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';

const long = { timeoutMs: 60_000 };
const dayMs = 86_400_000;

export async function deleteExpiredHeld(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from webhook_deliveries where ctid = any(array(
      select ctid from webhook_deliveries where status = 'held' and created_at < ${before} limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}

export async function deleteOldDeliveries(tx: Tx, now: number, limit: number): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from webhook_deliveries where ctid = any(array(
      select d.ctid from accounts a join webhook_deliveries d on d.account_id = a.id
      where d.status in ('delivered', 'exhausted') and d.created_at < ${now} - a.webhook_log_days * ${dayMs}::bigint
      limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}

/** An event goes when its time is over and no delivery of it is left. */
export async function deleteOldEvents(tx: Tx, now: number, limit: number): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from events where ctid = any(array(
      select e.ctid from accounts a join events e on e.account_id = a.id
      where e.created_at < ${now} - a.webhook_log_days * ${dayMs}::bigint
        and not exists (
          select from webhook_deliveries d where d.account_id = e.account_id and d.event_id = e.id)
      limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}
