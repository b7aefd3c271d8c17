/** Targets of service levels that were met or missed (sla_results), by the time at which that was decided. */
import type { ServiceLevelConversations, SlaFigure } from '../../../contract/reports.ts';
import type { SlaKind } from '../../../contract/service-levels.ts';
import type { Db } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import { type ConversationFilter, inScope } from './reports.conversations.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport } from './reports.query.sql.ts';

export interface ServiceLevelFilter {
  place: ConversationFilter;
  policyId?: string;
  kind?: SlaKind;
  /** Null: none. */
  teamId?: string | null;
  userId?: string | null;
}

export interface ServiceLevelRow {
  part: 'total' | 'bucket' | 'kind' | 'policy' | 'team' | 'person' | 'channel';
  bucket: number | null;
  kind: SlaKind | null;
  id: string | null;
  /** Null: none, or it was removed. */
  name: string | null;
  type: string | null;
  met: number;
  breached: number;
}

const isOrNull = (id: string | null): Sql => (id === null ? sql`is null` : sql`= ${id}`);

const results = (
  accountId: string,
  filter: ServiceLevelFilter,
  { from, to }: Pick<Period, 'from' | 'to'>,
) => {
  const { place, policyId, kind, teamId, userId } = filter;
  return sql`sla_results r join sessions s on s.account_id = r.account_id and s.session_id = r.session_id
    where r.account_id = ${accountId} and r.at >= ${from} and r.at < ${to} and ${inScope(accountId, place)}
      ${policyId === undefined ? empty : sql`and r.policy_id = ${policyId}`}
      ${kind === undefined ? empty : sql`and r.kind = ${kind}`}
      ${teamId === undefined ? empty : sql`and r.team_id ${isOrNull(teamId)}`}
      ${userId === undefined ? empty : sql`and r.user_id ${isOrNull(userId)}`}`;
};

export async function measureServiceLevels(
  db: Db,
  accountId: string,
  filter: ServiceLevelFilter,
  period: Period,
): Promise<ServiceLevelRow[]> {
  return queryReport<ServiceLevelRow>(
    db,
    sql`
    with counted as (
      select case grouping(f.bucket, f.kind, f.policy_id, f.team_id, f.user_id, f.channel_id)
          when 31 then 'bucket' when 47 then 'kind' when 55 then 'policy' when 59 then 'team' when 61 then 'person'
          when 62 then 'channel' else 'total' end as part,
        f.bucket, f.kind, f.policy_id, f.team_id, f.user_id, f.channel_id,
        count(*) filter (where f.outcome = 'met')::int as met,
        count(*) filter (where f.outcome = 'breached')::int as breached
      from (
        select width_bucket(r.at, ${period.starts}::bigint[]) as bucket, r.kind, r.policy_id, r.team_id, r.user_id,
          r.channel_id, r.outcome
        from ${results(accountId, filter, period)}) f
      group by grouping sets ((f.bucket), (f.kind), (f.policy_id), (f.team_id), (f.user_id), (f.channel_id), ())
    )
    select n.part, n.bucket, n.kind, coalesce(n.policy_id, n.team_id, n.user_id, n.channel_id) as id,
      coalesce(p.name, t.name, u.name, c.name) as name, c.type, n.met, n.breached
    from counted n
    left join sla_policies p on p.account_id = ${accountId} and p.id = n.policy_id
    left join teams t on t.account_id = ${accountId} and t.id = n.team_id
    left join users u on u.account_id = ${accountId} and u.id = n.user_id
    left join channels c on c.account_id = ${accountId} and c.id = n.channel_id`,
  );
}

/** Newest first, after `before`: the time and the id of the last one of a page. */
export async function selectServiceLevelConversations(
  db: Db,
  accountId: string,
  filter: ServiceLevelFilter,
  times: Pick<Period, 'from' | 'to'>,
  figure: SlaFigure,
  before: readonly [number, string] | null,
  limit: number,
): Promise<ServiceLevelConversations['items']> {
  return queryReport(
    db,
    sql`
    select f.session_id as "sessionId", s.session_name as "sessionName", s.channel_id as "channelId", f.count,
      f.at as "lastAt"
    from (
      select r.session_id, count(*)::int as count, max(r.at) as at
      from ${results(accountId, filter, times)} and r.outcome = ${figure}
      group by r.session_id
      ${before ? sql`having (max(r.at), r.session_id) < (${before[0]}::bigint, ${before[1]}::text)` : empty}
      order by max(r.at) desc, r.session_id desc limit ${limit}) f
    join sessions s on s.account_id = ${accountId} and s.session_id = f.session_id
    order by f.at desc, f.session_id desc`,
  );
}
