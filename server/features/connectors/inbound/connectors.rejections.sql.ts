import type { Db } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface Rejections {
  accountId: string;
  channelId: string;
  count: number;
  /** Of the last one. */
  at: number;
}

export async function addRejections(db: Db, all: readonly Rejections[]): Promise<void> {
  await db.autocommit(sql`
    update connectors c
    set rejected_count = c.rejected_count + r.count, last_rejected_at = greatest(c.last_rejected_at, r.at)
    from unnest(${all.map((one) => one.accountId)}::uuid[], ${all.map((one) => one.channelId)}::uuid[],
      ${all.map((one) => one.count)}::bigint[], ${all.map((one) => one.at)}::bigint[])
      as r (account_id, channel_id, count, at)
    where c.account_id = r.account_id and c.channel_id = r.channel_id`);
}
