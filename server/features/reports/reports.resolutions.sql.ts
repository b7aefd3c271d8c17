/** Resolved and reopened conversations, of their history (session_changes). */
import type { Db } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type ConversationFilter, inScope, medianAndP90 } from './reports.conversations.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport } from './reports.query.sql.ts';

export interface ResolutionRow {
  /** Null: all of the period. */
  bucket: number | null;
  resolved: number;
  reopened: number;
  byCustomer: number;
  times: [number, number] | null;
}

/** Of a row of session_changes. */
export const isResolution = (change: Sql) =>
  sql`${change}.changes @> '[{"field": "status", "newValue": "resolved"}]'`;
export const isReopening = (change: Sql) =>
  sql`${change}.changes @> '[{"field": "status", "oldValue": "resolved"}]'`;
const resolves = isResolution(sql`c`);

/** The time of a resolution begins with the reopening before it, or with the conversation. */
export async function measureResolutions(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { starts, from, to }: Period,
): Promise<ResolutionRow[]> {
  return queryReport<ResolutionRow>(
    db,
    sql`
    with changed as (
      select width_bucket(c.at, ${starts}::bigint[]) as bucket, ${resolves} as is_resolution,
        c.changed_by ->> 'type' = 'customer' as by_customer,
        case when ${resolves} then c.at - coalesce(opened.at, s.created_at) end as ms
      from session_changes c join sessions s on s.account_id = c.account_id and s.session_id = c.session_id
      left join lateral (
        select b.at from session_changes b
        where b.account_id = c.account_id and b.session_id = c.session_id and b.sequence < c.sequence
          and ${isReopening(sql`b`)} and ${resolves}
        order by b.sequence desc limit 1) opened on true
      where c.account_id = ${accountId} and c.at >= ${from} and c.at < ${to} and ${inScope(accountId, filter)}
        and (${resolves} or ${isReopening(sql`c`)})
    )
    select bucket, count(*) filter (where is_resolution)::int as resolved,
      count(*) filter (where not is_resolution)::int as reopened,
      count(*) filter (where not is_resolution and by_customer)::int as "byCustomer",
      (${medianAndP90} filter (where is_resolution))::float8[] as times
    from changed group by grouping sets ((bucket), ())`,
  );
}
