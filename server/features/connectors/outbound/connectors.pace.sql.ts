/** When a channel, and each customer of it, may be sent to next: one pace for all processes. */
import type { Db } from '../../../platform/db/db.ts';
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
  },
): Promise<{ reserved: boolean; waitMs: number }> {
  const { channelId, customer, perSecond, perCustomerSecond } = pace;
  const [row] = await db.autocommit<{ reserved: boolean; waitMs: number }>(sql`
    select reserved, wait_ms as "waitMs" from reserve_send(${accountId}, ${channelId}, ${customer}::text,
      ${1 / perSecond}::float8, ${perCustomerSecond && 1 / perCustomerSecond}::float8)`);
  return row!;
}

/** Times that have passed say nothing any more. */
export async function prunePace(db: Db): Promise<void> {
  await db.autocommit(sql`delete from connector_pace where next_at < now() - interval '1 minute'`);
}
