/** What became of what the copilot wrote (copilot_suggestions). */
import type { Db } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { type ConversationFilter, inScope } from './reports.conversations.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport } from './reports.query.sql.ts';

export interface CopilotFigures {
  suggested: number;
  accepted: number;
  edited: number;
  discarded: number;
}

export interface CopilotRow extends CopilotFigures {
  part: 'total' | 'bucket' | 'user';
  bucket: number | null;
  userId: string | null;
  name: string | null;
}

/** An id is never older than its row, so the primary key finds those from the start of the period on. */
export async function countSuggestions(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { starts, from, to }: Period,
): Promise<CopilotRow[]> {
  return queryReport<CopilotRow>(
    db,
    sql`
    with made as (
      select width_bucket(c.created_at, ${starts}::bigint[]) as bucket, u.id as user_id, c.outcome
      from copilot_suggestions c
      join sessions s on s.account_id = c.account_id and s.session_id = c.session_id
      left join users u on u.account_id = c.account_id and u.id = c.user_id
      where c.account_id = ${accountId} and c.id >= ${firstIdAt(from)}::uuid and c.created_at >= ${from}
        and c.created_at < ${to} and ${inScope(accountId, filter)}
    ), counted as (
      select case grouping(bucket, user_id) when 1 then 'bucket' when 2 then 'user' else 'total' end as part, bucket,
        user_id, count(*)::int as suggested, count(*) filter (where outcome = 'accepted')::int as accepted,
        count(*) filter (where outcome = 'edited')::int as edited,
        count(*) filter (where outcome = 'discarded')::int as discarded
      from made group by grouping sets ((bucket), (user_id), ())
    )
    select n.part, n.bucket, n.user_id as "userId", u.name, n.suggested, n.accepted, n.edited, n.discarded
    from counted n left join users u on u.account_id = ${accountId} and u.id = n.user_id`,
  );
}
