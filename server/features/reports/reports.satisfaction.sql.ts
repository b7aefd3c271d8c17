/** Ratings by customers (session_ratings), by the time of the first rating of a resolution. */
import type { Db } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type ConversationFilter, inScope } from './reports.conversations.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport } from './reports.query.sql.ts';

export interface SatisfactionRow {
  part: 'total' | 'bucket' | 'channel' | 'operator';
  bucket: number | null;
  /** Of the channel or the user. Null: no user owned or resolved it, or the user was removed. */
  id: string | null;
  name: string | null;
  type: string | null;
  /** How often 1 to 5 was given. */
  distribution: number[];
}

export async function measureSatisfaction(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { starts, from, to }: Period,
): Promise<SatisfactionRow[]> {
  return queryReport<SatisfactionRow>(
    db,
    sql`
    with rated as (
      select width_bucket(r.created_at, ${starts}::bigint[]) as bucket, s.channel_id, u.id as user_id, r.score
      from session_ratings r join sessions s on s.account_id = r.account_id and s.session_id = r.session_id
      left join users u on u.account_id = r.account_id and u.id = r.user_id
      where r.account_id = ${accountId} and r.created_at >= ${from} and r.created_at < ${to}
        and ${inScope(accountId, filter)}
    ), counted as (
      select case grouping(bucket, channel_id, user_id)
          when 3 then 'bucket' when 5 then 'channel' when 6 then 'operator' else 'total' end as part,
        bucket, channel_id, user_id,
        array[count(*) filter (where score = 1), count(*) filter (where score = 2),
          count(*) filter (where score = 3), count(*) filter (where score = 4),
          count(*) filter (where score = 5)]::int[] as distribution
      from rated group by grouping sets ((bucket), (channel_id), (user_id), ())
    )
    select n.part, n.bucket, coalesce(n.channel_id, n.user_id) as id, coalesce(c.name, u.name) as name, c.type,
      n.distribution
    from counted n
    left join channels c on c.account_id = ${accountId} and c.id = n.channel_id
    left join users u on u.account_id = ${accountId} and u.id = n.user_id`,
  );
}
