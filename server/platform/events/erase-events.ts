/** Events that leave the outbox: those past the account's retention, and those that are to be as if never emitted. */
import type { Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';

const dayMs = 86_400_000;
/** It goes over thousands of rows. */
const long = { timeoutMs: 60_000 };

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
    long,
  );
  return rows.length;
}

/** A batch of one account's events with these names, unless they still have to be delivered. */
export async function deleteOldEventsOf(
  tx: Tx,
  accountId: string,
  names: readonly string[],
  before: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from events where account_id = ${accountId} and id = any(array(
      select e.id from events e
      where e.account_id = ${accountId} and e.created_at < ${before} and e.event = any(${names}::text[])
        and not exists (select from webhook_deliveries d where d.account_id = e.account_id and d.event_id = e.id
          and d.status in ('pending', 'retrying'))
      limit ${limit}))
    returning 1`,
    long,
  );
  return rows.length;
}

/** Of records and conversations; their deliveries go with them. */
export async function eraseEventsOf(tx: Tx, accountId: string, subjectIds: readonly string[]): Promise<void> {
  await tx.query(
    sql`delete from events where account_id = ${accountId} and subject_id = any(${subjectIds})`,
    long,
  );
}

export async function eraseEventsOnKanbans(
  tx: Tx,
  accountId: string,
  kanbanIds: readonly string[],
): Promise<void> {
  await tx.query(
    sql`delete from events where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])`,
    long,
  );
}
