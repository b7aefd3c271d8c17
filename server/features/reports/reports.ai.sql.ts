/**
 * What agents did: their replies (reply_log), the conversations that were resolved after one (session_changes) and the
 * ratings with and without one (session_ratings). Replies are read from an index that has all of these columns.
 */
import type { AiConversations, AiFigure } from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import { type ConversationFilter, inScope } from './reports.conversations.sql.ts';
import { isCounted, isHuman } from './reports.figures.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport, type ReadReport, readInOneMoment } from './reports.query.sql.ts';
import { isReopening, isResolution } from './reports.resolutions.sql.ts';

export interface AiFilter {
  /** Where the conversations are now. */
  place: ConversationFilter;
  /** Who replied. */
  agentId?: string;
  version?: number;
}

type Times = Pick<Period, 'from' | 'to'>;

export interface AiFigures {
  replies: number;
  resolved: number;
  alone: number;
  handedOver: number;
  held: number;
  released: number;
  failed: number;
  cost: number;
  unpriced: number;
}

export interface AiRow extends AiFigures {
  part: 'total' | 'bucket' | 'agent' | 'version' | 'channel' | 'reason';
  bucket: number | null;
  /** Of the agent or the channel. */
  id: string | null;
  name: string | null;
  type: string | null;
  version: number | null;
  reason: string | null;
}

export interface AiRatingRow {
  withAi: boolean;
  count: number;
  average: number;
}

/** How long a person may still step in after a resolution. */
const aloneMs = 72 * 3_600_000;

const byAgent = ({ agentId, version }: AiFilter) => sql`
  ${agentId === undefined ? empty : sql`and l.agent_id = ${agentId}`}
  ${version === undefined ? empty : sql`and l.agent_version = ${version}`}`;

const isReleased = sql`l.outcome = 'held' and exists (
  select from messages m where m.account_id = l.account_id and m.id = l.reply_id and not m.held)`;

const isLogged = sql`l.outcome in ('sent', 'held', 'failed')`;

/** A row for each reply. */
const replies = (accountId: string, filter: AiFilter, { from, to }: Times) => sql`
  select s.session_id, s.channel_id, l.created_at as at, l.agent_id, l.agent_version as version,
    l.handover_reason as reason, l.outcome = 'sent' as sent, l.outcome = 'held' as held, ${isReleased} as released,
    l.outcome = 'failed' as failed, l.cost,
    l.cost is null and l.outcome <> 'failed' and l.provider <> 'offline' as unpriced, false as resolved, false as alone
  from reply_log l join sessions s on s.account_id = l.account_id and s.session_id = l.session_id
  where l.account_id = ${accountId} and l.created_at >= ${from} and l.created_at < ${to} and ${isLogged}
    and ${inScope(accountId, filter.place)} ${byAgent(filter)}`;

/** The last reply of an agent to the customer in a conversation, between these times. */
const lastReply = (session: Sql, after: Sql, before: Sql) => sql`
  select l.agent_id, l.agent_version from reply_log l
  where l.account_id = ${session}.account_id and l.session_id = ${session}.session_id
    and l.created_at >= ${after} and l.created_at <= ${before} and (l.outcome = 'sent' or ${isReleased})
  order by l.created_at desc, l.id desc limit 1`;

/** A row for each resolution after a reply. It counts for the agent that replied last. */
const resolutions = (accountId: string, filter: AiFilter, { from, to }: Times) => sql`
  select c.session_id, c.channel_id, c.at, l.agent_id, l.agent_version, null, false, false, false, false, null::float8,
    false, true,
    not exists (select from messages m where m.account_id = c.account_id and m.session_id = c.session_id
      and ${isHuman} and ${isCounted} and m.created_at >= c.since and m.created_at < c.at + ${aloneMs}::bigint)
  from (
    select c.account_id, c.session_id, s.channel_id, c.at, coalesce(opened.at, s.created_at) as since
    from session_changes c join sessions s on s.account_id = c.account_id and s.session_id = c.session_id
    left join lateral (
      select b.at from session_changes b
      where b.account_id = c.account_id and b.session_id = c.session_id and b.sequence < c.sequence
        and ${isReopening(sql`b`)}
      order by b.sequence desc limit 1) opened on true
    where c.account_id = ${accountId} and c.at >= ${from} and c.at < ${to} and ${isResolution(sql`c`)}
      and ${inScope(accountId, filter.place)}) c
  cross join lateral (${lastReply(sql`c`, sql`c.since`, sql`c.at`)}) l
  where true ${byAgent(filter)}`;

const facts = (accountId: string, filter: AiFilter, times: Times) => sql`
  ${replies(accountId, filter, times)} union all ${resolutions(accountId, filter, times)}`;

/** Those without a reply of the AI are the same for all agents, to be compared with. */
const ratings = (accountId: string, filter: AiFilter, { from, to }: Times) => sql`
  select s.session_id, s.channel_id, r.created_at as at, r.score, l.account_id is not null as "withAi"
  from session_ratings r join sessions s on s.account_id = r.account_id and s.session_id = r.session_id
  left join lateral (
    select r.account_id, l.* from (${lastReply(sql`r`, sql`0`, sql`r.created_at`)}) l) l on true
  where r.account_id = ${accountId} and r.created_at >= ${from} and r.created_at < ${to}
    and ${inScope(accountId, filter.place)} and (l.account_id is null or (true ${byAgent(filter)}))`;

export async function measureAi(
  db: Db,
  accountId: string,
  filter: AiFilter,
  period: Period,
): Promise<{ rows: AiRow[]; ratings: AiRatingRow[] }> {
  return readInOneMoment(db, async (read) => ({
    rows: await readFigures(read, accountId, filter, period),
    ratings: await read<AiRatingRow>(sql`
      select "withAi", count(*)::int as count, avg(score)::float8 as average
      from (${ratings(accountId, filter, period)}) r group by 1`),
  }));
}

/** Grouped by everything first: the sums for each place are made of few rows. */
const readFigures = (read: ReadReport, accountId: string, filter: AiFilter, period: Period) =>
  read<AiRow>(sql`
    with counted as (
      select width_bucket(at, ${period.starts}::bigint[]) as bucket, agent_id, version, channel_id, reason,
        count(*) filter (where sent or released)::int as replies, count(*) filter (where resolved)::int as resolved,
        count(*) filter (where alone)::int as alone, count(reason)::int as handed_over,
        count(*) filter (where held)::int as held, count(*) filter (where released)::int as released,
        count(*) filter (where failed)::int as failed, coalesce(sum(cost), 0) as cost,
        count(*) filter (where unpriced)::int as unpriced
      from (${facts(accountId, filter, period)}) f group by 1, 2, 3, 4, 5
    ), summed as (
      select case grouping(bucket, agent_id, version, channel_id, reason)
          when 15 then 'bucket' when 23 then 'agent' when 19 then 'version' when 29 then 'channel' when 30 then 'reason'
          else 'total' end as part,
        bucket, agent_id, version, channel_id, reason, sum(replies)::int as replies, sum(resolved)::int as resolved,
        sum(alone)::int as alone, sum(handed_over)::int as "handedOver", sum(held)::int as held,
        sum(released)::int as released, sum(failed)::int as failed, sum(cost) as cost, sum(unpriced)::int as unpriced
      from counted
      group by grouping sets ((bucket), (agent_id), (agent_id, version), (channel_id), (reason), ())
    )
    select n.part, n.bucket, coalesce(n.agent_id, n.channel_id) as id, coalesce(a.name, c.name) as name, c.type, n.version,
      n.reason, n.replies, n.resolved, n.alone, n."handedOver", n.held, n.released, n.failed,
      coalesce(n.cost, 0)::float8 as cost, n.unpriced
    from summed n
    left join agents a on a.account_id = ${accountId} and a.id = n.agent_id
    left join channels c on c.account_id = ${accountId} and c.id = n.channel_id`);

const conditions: { [figure in AiFigure]: Sql } = {
  replies: sql`sent or released`,
  resolved: sql`resolved`,
  alone: sql`alone`,
  handedOver: sql`reason is not null`,
  held: sql`held`,
  released: sql`released`,
  failed: sql`failed`,
  cost: sql`cost > 0`,
  unpriced: sql`unpriced`,
  ratedWithAi: sql`"withAi"`,
  ratedWithoutAi: sql`not "withAi"`,
};

/** Newest first, after `before`: the time and the id of the last one of a page. */
export async function selectAiConversations(
  db: Db,
  accountId: string,
  filter: AiFilter,
  times: Times,
  { figure, reason }: { figure: AiFigure; reason?: string | undefined },
  before: readonly [number, string] | null,
  limit: number,
): Promise<AiConversations['items']> {
  const isRating = figure === 'ratedWithAi' || figure === 'ratedWithoutAi';
  const from = isRating
    ? sql`(select *, null::float8 as cost from (${ratings(accountId, filter, times)}) r)`
    : sql`(${facts(accountId, filter, times)})`;
  return queryReport(
    db,
    sql`
    select f.session_id as "sessionId", s.session_name as "sessionName", s.channel_id as "channelId", f.count, f.cost,
      f.at as "lastAt"
    from (
      select session_id, count(*)::int as count, coalesce(sum(cost), 0)::float8 as cost, max(at) as at
      from ${from} f
      where (${conditions[figure]}) ${reason === undefined ? empty : sql`and reason = ${reason}`}
      group by session_id
      ${before ? sql`having (max(at), session_id) < (${before[0]}::bigint, ${before[1]}::text)` : empty}
      order by max(at) desc, session_id desc limit ${limit}) f
    join sessions s on s.account_id = ${accountId} and s.session_id = f.session_id
    order by f.at desc, f.session_id desc`,
  );
}
