/** Deliveries of endpoints that were disabled. */
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Db } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

/** A backlog may be long; only its own loop waits for this. */
const long = { timeoutMs: 60_000 };

const isHoldable = sql`d.account_id = w.account_id and d.webhook_id = w.id
  and d.status in ('pending', 'retrying') and d.lease_token is null and not d.forced`;
const isDisabledHere = sql`not w.enabled and ${isServedHere(sql`w.account_id`)}`;

/** An expression: whether there is something to hold. */
export const hasHoldable = sql`exists (
  select from webhooks w where ${isDisabledHere} and (select true from webhook_deliveries d where ${isHoldable} limit 1))`;

/**
 * Holds what was still on its way into the queue, or being sent, when its endpoint was disabled. Endpoint by endpoint:
 * as a join it was planned as a reading of the whole queue, 15 to 40 ms twice a second with 20,000 rows.
 */
export async function holdForDisabled(db: Db, limit: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(
      sql`
      update webhook_deliveries set status = 'held' where ctid = any(array(
        select d.place from webhooks w cross join lateral (
          select d.ctid as place from webhook_deliveries d
          where ${isHoldable} limit ${limit} for update of d skip locked) d
        where ${isDisabledHere} limit ${limit}))`,
      long,
    ),
  );
}
