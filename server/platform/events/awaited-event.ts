/**
 * An event that waits for something before it is sent, such as the conversion of a voice message. It is written with
 * its change, like every event, and its deliveries are due only after a delay (`FrozenEvent.deliverAfterMs`). So it
 * keeps its place in the order of its conversation and survives a crash. The code that provides what it waits for
 * settles it before that time; otherwise it is sent as written.
 */
import type { EventBody } from '../../../contract/events.ts';
import type { Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { wakeDeliveries } from './outbox.ts';

export async function findEventBody(tx: Tx, accountId: string, id: string): Promise<EventBody | null> {
  const [row] = await tx.query<{ body: string }>(
    sql`select body from events where account_id = ${accountId} and id = ${id}`,
  );
  return row ? (JSON.parse(row.body) as EventBody) : null;
}

export type Settled = 'waited' | 'sent' | 'gone';

/**
 * Sends the event now, with this body if one is given. `sent`: too late, an attempt may have been made, so the body
 * stays as it is. `gone`: no endpoint wants it now.
 *
 * The deliveries are deleted and inserted again, not updated: a claim that began before this transaction committed
 * reads the old body, and with an update it could still lock the new version of the row and send the old body.
 */
export async function settleEvent(
  tx: Tx,
  accountId: string,
  id: string,
  body: EventBody | null,
): Promise<Settled> {
  const [row] = await tx.query<{ waiting: number; all: number }>(sql`
    with taken as (
      delete from webhook_deliveries
      where account_id = ${accountId} and event_id = ${id} and status in ('pending', 'held') and attempts = 0
        and lease_token is null and next_attempt_at > clock_timestamp()
      returning *
    ), frozen as (
      update events set body = coalesce(${body && JSON.stringify(body)}, body)
      where account_id = ${accountId} and id = ${id} and exists (select from taken)
    ), again as (
      insert into webhook_deliveries (account_id, id, event_id, webhook_id, status, forced, order_key, sequence,
        next_attempt_at, created_at)
      select account_id, id, event_id, webhook_id, status, forced, order_key, sequence, now(), created_at from taken
    )
    select (select count(*) from taken)::int as waiting,
      (select count(*) from webhook_deliveries where account_id = ${accountId} and event_id = ${id})::int as all`);
  if (row!.waiting > 0) {
    wakeDeliveries(tx);
    return 'waited';
  }
  return row!.all > 0 ? 'sent' : 'gone';
}
