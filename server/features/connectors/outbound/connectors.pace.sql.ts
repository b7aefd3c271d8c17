/** When a channel, and each customer of it, may be sent to next: one pace for all processes. */
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Milliseconds to wait. Not reserved: the customer has to wait that long, then ask again. */
export async function reserveSend(
  db: Db,
  accountId: string,
  pace: {
    channelId: string;
    customer: string;
    perSecond: number;
    perCustomerSecond: number | null;
    customerBurst?: number;
  },
): Promise<{ reserved: boolean; waitMs: number }> {
  const { channelId, customer, perSecond, perCustomerSecond, customerBurst = 1 } = pace;
  const place = sql`${accountId}, ${channelId}, ${customer}::text`;
  const gaps = sql`${1 / perSecond}::float8, ${perCustomerSecond && 1 / perCustomerSecond}::float8`;
  const reserve =
    perCustomerSecond !== null && customerBurst > 1
      ? sql`reserve_burst_send(${place}, ${gaps}, ${customerBurst}::int)`
      : sql`reserve_send(${place}, ${gaps})`;
  const [row] = await db.autocommit<{ reserved: boolean; waitMs: number }>(
    sql`select reserved, wait_ms as "waitMs" from ${reserve}`,
  );
  return row!;
}

/**
 * The provider asked to send more slowly: nothing goes to the channel, or to one customer of it, until then. The longest of
 * several pauses counts.
 */
export async function pauseSends(
  db: Db,
  accountId: string,
  { channelId, customer, waitMs }: { channelId: string; customer: string | null; waitMs: number },
): Promise<void> {
  await db.autocommit(sql`
    insert into connector_pace as p (account_id, channel_id, customer, next_at, paused_until)
    values (${accountId}, ${channelId}, ${customer ?? ''}, now(), now() + make_interval(secs => ${waitMs / 1000}::float8))
    on conflict (account_id, channel_id, customer) do update
    set paused_until = greatest(p.paused_until, excluded.paused_until)`);
}

/** The connector was saved or connected again: a pause of the earlier one does not hold for it. */
export async function endPause(tx: Tx, accountId: string, channelId: string): Promise<void> {
  await tx.query(sql`
    update connector_pace set paused_until = null
    where account_id = ${accountId} and channel_id = ${channelId} and paused_until is not null`);
}

/** Of the channel and the customer: the ms that are left of a pause, 0 without one. */
export async function findPause(
  db: Reader,
  accountId: string,
  channelId: string,
  customer: string,
): Promise<number> {
  const [row] = await db.query<{ left: number }>(sql`
    select coalesce(extract(epoch from max(paused_until) - clock_timestamp()) * 1000, 0)::float8 as left
    from connector_pace
    where account_id = ${accountId} and channel_id = ${channelId} and customer = any(${['', customer]})
      and paused_until > clock_timestamp()`);
  return row!.left;
}

/** Times that have passed no longer matter. */
export async function prunePace(db: Db): Promise<void> {
  await db.autocommit(sql`
    delete from connector_pace where next_at < now() - interval '1 minute'
      and (paused_until is null or paused_until < now())`);
}
