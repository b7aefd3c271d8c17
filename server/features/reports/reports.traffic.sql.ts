/**
 * Messages by quarter of an hour. Most come from blocks, the sums over many conversations; the rest from the figures of
 * single conversations; and the messages themselves are read only of conversations that changed since, and for quarters
 * that contain a bucket's boundary. All are in one statement, so that they see the same snapshot.
 */
import type { Db } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import { blockKey, figuresHash, removedPlaces, stateHash } from './reports.blocks.sql.ts';
import { type ConversationFilter, inScope } from './reports.conversations.sql.ts';
import { isAi, isCounted, isCustomer, isEcho, isHuman, rolledUp, slotMs } from './reports.figures.sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport } from './reports.query.sql.ts';

export interface TrafficRow {
  /** Of the week's hours if it is a cell. */
  place: number;
  isCell: boolean;
  customer: number;
  ai: number;
  human: number;
  echo: number;
}

/**
 * Messages by bucket, and with `withCells` also by the hour of the week. Grouped by quarter first: a year has 35,000
 * of them, and the rest works on these instead of on every message. The arrays are unnested side by side in the
 * select list: a lateral table function takes several times as long.
 *
 * Blocks have the conversations as they were before `until`. One that changed later is "young": what a block has of it
 * (`wasMember`) is subtracted, and it counts by its new figures or by its messages. A block is used if its sum of states
 * is that of its place: of the old conversations, and of the young ones as they were. Conversations of places without
 * a used block are counted one by one.
 */
export async function countTraffic(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
  withCells: boolean,
): Promise<TrafficRow[]> {
  const { starts, from, to, clock } = period;
  const edges = [
    ...new Set([...starts, to].filter((at) => at % slotMs !== 0).map((at) => Math.floor(at / slotMs))),
  ];
  const [first, last] = [Math.floor(from / slotMs), Math.ceil(to / slotMs) - 1];
  const reaches = sql`f.slots[1] <= ${last}::int and f.slots[cardinality(f.slots)] >= ${first}::int`;
  const scope = inScope(accountId, filter);
  const figures = sql`conversation_figures f on f.account_id = s.account_id and f.session_id = s.session_id`;
  return queryReport<TrafficRow>(
    db,
    sql`
    with line as materialized (
      select coalesce(min(until), 0) as until from traffic_blocks where account_id = ${accountId}
    ), young as materialized (
      select s.session_id, ${blockKey} as month, ${figuresHash} as state,
        coalesce(f.session_updated_at < (select until from line), false) as "wasMember",
        coalesce(f.message_count = s.message_count and f.session_updated_at = s.updated_at, false) as "isCurrent"
      from sessions s left join ${figures} where ${scope} and s.updated_at >= (select until from line)
    ), places as materialized (
      select kanban_id, channel_id, agent_id, month, sum(conversations) as conversations, sum(states) as states
      from (
        select ${blockKey} as month, count(*) as conversations, sum(${sessionHash}) as states from sessions s
        where ${scope} and s.updated_at < (select until from line) group by 1, 2, 3, 4
        union all
        select kanban_id, channel_id, agent_id, month, 1, state from young where "wasMember") m
      group by 1, 2, 3, 4
    ), removed as materialized (
      ${removedPlaces(sql`${accountId}::uuid`)}
    ), used as materialized (
      select f.* from traffic_blocks f join places p using (kanban_id, channel_id, agent_id, month)
      where f.account_id = ${accountId} and f.until = (select until from line)
        and f.conversations = p.conversations and f.states = p.states
        and not exists (select from removed r where (r.kanban_id, r.channel_id, r.agent_id, r.month)
          = (f.kanban_id, f.channel_id, f.agent_id, f.month))
    ), unused as materialized (
      select p.* from places p left join used u using (kanban_id, channel_id, agent_id, month) where u.month is null
    ), single as materialized (
      select s.session_id, 1 as sign,
        coalesce(f.message_count = s.message_count and f.session_updated_at = s.updated_at, false) as "isCurrent"
      from unused u join sessions s on (u.kanban_id, u.channel_id, u.agent_id, u.month) = (${blockKey}) left join ${figures}
      where ${scope} and s.updated_at < (select until from line)
      union all
      select session_id, 1, "isCurrent" from young
      union all
      select y.session_id, -1, true from young y join used using (kanban_id, channel_id, agent_id, month)
      where y."wasMember"
    ), quarters as (
      select t.slot * ${slotMs}::bigint as at, sum(t.sign * t.customer)::int as customer, sum(t.sign * t.ai)::int as ai,
        sum(t.sign * t.human)::int as human, sum(t.sign * t.echo)::int as echo
      from (
        select 1 as sign, ${unnested} from used f where ${reaches}
        union all
        select o.sign, ${unnested}
        from single o join conversation_figures f on f.account_id = ${accountId} and f.session_id = o.session_id
        where o."isCurrent" and ${reaches}) t
      where t.slot >= ${first}::int and t.slot <= ${last}::int and t.slot <> all(${edges}::int[])
      group by t.slot
      union all
      select m.created_at, m.customer, m.ai, m.human, m.echo
      from conversation_figures f join sessions s on ${rolledUp} ${countedMessages(accountId)}
      where f.account_id = ${accountId} and f.slots && ${edges}::int[] and ${scope}
        and m.created_at / ${slotMs}::bigint = any(${edges}::int[]) and m.created_at >= ${from} and m.created_at < ${to}
      union all
      select m.created_at, m.customer, m.ai, m.human, m.echo
      from single s ${countedMessages(accountId)}
      where not s."isCurrent" and m.created_at >= ${from} and m.created_at < ${to}
    )
    select width_bucket(at, ${starts}::bigint[]) as place, false as "isCell", ${sums} from quarters group by 1
    ${
      withCells
        ? sql`union all
          select ((at + (${clock.map((one) => one.offset)}::bigint[])[
              width_bucket(at, ${clock.map((one) => one.from)}::bigint[])]) / 3600000 + 72) % 168 as place,
            true as "isCell", ${sums}
          from quarters group by 1`
        : empty
    }`,
    { sorting: false },
  );
}

const sessionHash = stateHash(sql`s.session_id`, sql`s.message_count`, sql`s.updated_at`);

const unnested = sql`unnest(f.slots) as slot, unnest(f.customer) as customer, unnest(f.ai) as ai,
  unnest(f.human) as human, unnest(f.echo) as echo`;

const sums = sql`sum(customer)::int as customer, sum(ai)::int as ai, sum(human)::int as human, sum(echo)::int as echo`;

/** `offset 0` keeps it a lookup per conversation: as a join, all messages of the account would be read. */
const countedMessages = (accountId: string) => sql`cross join lateral (
  select m.created_at, (${isCustomer})::int as customer, (${isAi})::int as ai, (${isHuman})::int as human,
    (${isEcho})::int as echo
  from messages m where m.account_id = ${accountId} and m.session_id = s.session_id and ${isCounted}
  offset 0) m`;
