import { sql } from '../../platform/db/sql.ts';
import type { ReadReport } from './reports.query.sql.ts';

export interface LevelRow {
  /** 0: before the first of `starts`. */
  bucket: number;
  status: string;
  /** Records that were created in this status. */
  created: number;
  /** How many more entered it than left it or were deleted. */
  moved: number;
}

/**
 * How the number of records in each status changed. An existing record counts as created in its current status; each
 * of its changes takes that back by one step (at the record's creation: one more in `from`, one less in `to`) and
 * adds it where it happened. The steps of one record add up to its true first status, in any order, and a deleted
 * record has its own last step: so no row is joined to another.
 */
export async function selectLevels(
  read: ReadReport,
  accountId: string,
  kanbanIds: readonly string[],
  starts: readonly number[],
  to: number,
): Promise<LevelRow[]> {
  return read<LevelRow>(sql`
    with changes as (
      select width_bucket(record_created_at, ${starts}::bigint[]) as created_in,
        case when at < ${to} then width_bucket(at, ${starts}::bigint[]) end as changed_in,
        from_status, to_status, count(*)::int as count
      from record_status_changes
      where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[]) and record_created_at < ${to}
      group by 1, 2, 3, 4
    ), steps as (
      select width_bucket(created_at, ${starts}::bigint[]) as bucket, status, count(*)::int as created, 0 as moved
      from records where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[]) and created_at < ${to} group by 1, 2
      union all select created_in, from_status, count, 0 from changes
      union all select created_in, to_status, -count, 0 from changes where to_status is not null
      union all select changed_in, from_status, 0, -count from changes where changed_in is not null
      union all select changed_in, to_status, 0, count from changes where changed_in is not null and to_status is not null
    )
    select bucket, status, sum(created)::int as created, sum(moved)::int as moved
    from steps group by bucket, status having sum(created) <> 0 or sum(moved) <> 0`);
}

export interface TransitionRow {
  from: string;
  /** Null: deleted. */
  to: string | null;
  /** Everything that left `from` for another status; `to` is not set. */
  isAll: boolean;
  count: number;
  medianMs: number | null;
}

export async function selectTransitions(
  read: ReadReport,
  accountId: string,
  kanbanIds: readonly string[],
  from: number,
  to: number,
): Promise<TransitionRow[]> {
  return read<TransitionRow>(sql`
    select from_status as "from", to_status as "to", grouping(to_status) = 1 as "isAll",
      case when grouping(to_status) = 1 then count(to_status) else count(*) end::int as count,
      percentile_disc(0.5) within group (order by at - entered_at)
        filter (where to_status is not null)::float8 as "medianMs"
    from record_status_changes
    where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[]) and at >= ${from} and at < ${to}
    group by grouping sets ((from_status, to_status), (from_status))`);
}
