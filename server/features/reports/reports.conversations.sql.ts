/**
 * Conversations and their first answers. Most have precomputed figures (conversation_figures); messages are read only
 * for conversations that changed since. Both are in one statement, so that they see the same snapshot.
 */
import type { Db } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import { firstAnswer, rolledUp } from './reports.figures.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport } from './reports.query.sql.ts';

export interface ConversationFilter {
  kanbanId?: string;
  channelId?: string;
  agentId?: string;
  /** Null: no restriction. */
  visibleKanbanIds: string[] | null;
}

export function inScope(accountId: string, filter: ConversationFilter): Sql {
  const { kanbanId, channelId, agentId, visibleKanbanIds } = filter;
  return sql`s.account_id = ${accountId}
    ${kanbanId === undefined ? empty : sql`and s.kanban_id = ${kanbanId}`}
    ${channelId === undefined ? empty : sql`and s.channel_id = ${channelId}`}
    ${agentId === undefined ? empty : sql`and s.agent_id = ${agentId}`}
    ${visibleKanbanIds === null ? empty : sql`and s.kanban_id = any(${visibleKanbanIds}::uuid[])`}`;
}

export async function countNewConversations(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { starts, from, to }: Period,
): Promise<{ bucket: number; channelId: string; name: string; type: string; count: number }[]> {
  return queryReport(
    db,
    sql`
    select n.bucket, n.channel_id as "channelId", c.name, c.type, n.count
    from (
      select width_bucket(s.created_at, ${starts}::bigint[]) as bucket, s.channel_id, count(*)::int as count
      from sessions s
      where ${inScope(accountId, filter)} and s.created_at >= ${from} and s.created_at < ${to}
      group by 1, 2) n
    join channels c on c.account_id = ${accountId} and c.id = n.channel_id`,
  );
}

export interface ResponseRow {
  /** Null: all of the period. */
  bucket: number | null;
  conversations: number;
  unanswered: number;
  ai: number;
  human: number;
  all_ms: [number, number] | null;
  ai_ms: [number, number] | null;
  human_ms: [number, number] | null;
}

export const medianAndP90 = sql`percentile_disc(array[0.5, 0.9]) within group (order by ms)`;

export async function measureFirstResponses(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { starts, from, to }: Period,
): Promise<ResponseRow[]> {
  const begun = sql`${inScope(accountId, filter)} and s.created_at >= ${from} and s.created_at < ${to}`;
  return queryReport<ResponseRow>(
    db,
    sql`
    with facts as (
      select s.created_at, f.asked_at, f.answered_at, f.answered_by_ai
      from sessions s join conversation_figures f on ${rolledUp} where ${begun}
      union all
      select s.created_at, asked.at, answered.at, answered.by_ai
      from sessions s left join conversation_figures f on ${rolledUp} ${firstAnswer} where f.session_id is null and ${begun}
    ), measured as (
      select width_bucket(created_at, ${starts}::bigint[]) as bucket, answered_at - asked_at as ms, answered_by_ai as by_ai
      from facts where asked_at is not null
    )
    select bucket, count(*)::int as conversations, count(*) filter (where ms is null)::int as unanswered,
      count(*) filter (where by_ai)::int as ai, count(*) filter (where not by_ai)::int as human,
      ${medianAndP90}::float8[] as all_ms,
      (${medianAndP90} filter (where by_ai))::float8[] as ai_ms,
      (${medianAndP90} filter (where not by_ai))::float8[] as human_ms
    from measured group by grouping sets ((bucket), ())`,
  );
}

export interface TroubleRow {
  bucket: number;
  what: 'byAi' | 'byPeople' | 'resumed' | 'suppressed' | 'held' | 'failed';
  /** Of suppressed replies. */
  reason: string | null;
  count: number;
}

export async function countHandovers(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { starts, from, to }: Period,
): Promise<TroubleRow[]> {
  const scope = inScope(accountId, filter);
  return queryReport<TroubleRow>(
    db,
    sql`
    select width_bucket(p.at, ${starts}::bigint[]) as bucket,
      case when not p.paused then 'resumed' when p.by_agent then 'byAi' else 'byPeople' end as what,
      null as reason, count(*)::int as count
    from ai_pauses p join sessions s on s.account_id = p.account_id and s.session_id = p.session_id
    where p.account_id = ${accountId} and p.at >= ${from} and p.at < ${to} and ${scope}
    group by 1, 2
    union all
    select width_bucket(l.created_at, ${starts}::bigint[]), l.outcome,
      case when l.outcome = 'suppressed' then coalesce(l.reason, '') end, count(*)::int
    from reply_log l join sessions s on s.account_id = l.account_id and s.session_id = l.session_id
    where l.account_id = ${accountId} and l.created_at >= ${from} and l.created_at < ${to}
      and l.outcome in ('suppressed', 'held', 'failed') and ${scope}
    group by 1, 2, 3`,
  );
}
