/**
 * Blocks: the figures of many conversations, added up. A block is never trusted for itself: it stores the sum of its
 * members' stamps, and a report uses it only while the figures in the same place have that sum. So nothing has to keep
 * blocks right: an erased, moved or changed conversation changes the sum, and the report adds up its members instead.
 */
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';

const monthMs = 30 * 86_400_000;
/** Smaller ones save nothing. */
const usualLeast = 200;

/** Where the conversation `s` counts: reports filter by the first three. */
export const blockKey = sql`s.kanban_id, s.channel_id, s.agent_id, (s.created_at / ${monthMs}::bigint)::int`;

/**
 * Of the figures `f`: differs after each computation. The other two are part of it because releases before blocks
 * compute figures without a new stamp.
 */
export const stampOf = sql`hashint8extended(f.session_updated_at, hashint8extended(f.message_count, f.stamp))`;

/** For figures that are written now. */
export const newStamp = sql`hashtextextended(gen_random_uuid()::text, 0)`;

/**
 * Computes the blocks of these accounts (null: of all) whose members are others than when it was computed, from one
 * snapshot, and removes those that became too small.
 */
export async function refreshBlocks(
  tx: Tx,
  accountIds: readonly string[] | null,
  least = usualLeast,
): Promise<void> {
  const only = (account: Sql) =>
    sql`${accountIds === null ? empty : sql`${account} = any(${accountIds}::uuid[]) and`} ${isServedHere(account)}`;
  tx.send(sql`select set_config('work_mem', '32MB', true)`);
  await tx.query(
    sql`
    with present as materialized (
      select s.account_id, ${blockKey} as month, count(*)::int as conversations, sum(${stampOf}) as stamps
      from sessions s join conversation_figures f on f.account_id = s.account_id and f.session_id = s.session_id
      where f.stamp is not null and ${only(sql`s.account_id`)}
      group by 1, 2, 3, 4, 5 having count(*) >= ${least}::int
    ), gone as (
      delete from traffic_blocks b where ${only(sql`b.account_id`)} and not exists (
        select from present p where (p.account_id, p.kanban_id, p.channel_id, p.agent_id, p.month)
          = (b.account_id, b.kanban_id, b.channel_id, b.agent_id, b.month))
    ), changed as materialized (
      select p.* from present p left join traffic_blocks b using (account_id, kanban_id, channel_id, agent_id, month)
      where (b.conversations, b.stamps) is distinct from (p.conversations, p.stamps)
    ), quarters as (
      select t.account_id, t.kanban_id, t.channel_id, t.agent_id, t.month, t.slot, sum(t.customer)::int as customer,
        sum(t.ai)::int as ai, sum(t.human)::int as human, sum(t.echo)::int as echo
      from (
        select s.account_id, ${blockKey} as month, unnest(f.slots) as slot, unnest(f.customer) as customer,
          unnest(f.ai) as ai, unnest(f.human) as human, unnest(f.echo) as echo
        from changed c
        join sessions s on (s.account_id, ${blockKey}) = (c.account_id, c.kanban_id, c.channel_id, c.agent_id, c.month)
        join conversation_figures f on f.account_id = s.account_id and f.session_id = s.session_id
        where f.stamp is not null) t
      group by 1, 2, 3, 4, 5, 6
    )
    insert into traffic_blocks (account_id, kanban_id, channel_id, agent_id, month, conversations, stamps, slots,
      customer, ai, human, echo)
    select c.account_id, c.kanban_id, c.channel_id, c.agent_id, c.month, c.conversations, c.stamps,
      coalesce(q.slots, '{}'), coalesce(q.customer, '{}'), coalesce(q.ai, '{}'), coalesce(q.human, '{}'),
      coalesce(q.echo, '{}')
    from changed c left join (
      select account_id, kanban_id, channel_id, agent_id, month, array_agg(slot order by slot) as slots,
        array_agg(customer order by slot) as customer, array_agg(ai order by slot) as ai,
        array_agg(human order by slot) as human, array_agg(echo order by slot) as echo
      from quarters group by 1, 2, 3, 4, 5) q using (account_id, kanban_id, channel_id, agent_id, month)
    on conflict (account_id, kanban_id, channel_id, agent_id, month) do update set
      conversations = excluded.conversations, stamps = excluded.stamps, slots = excluded.slots,
      customer = excluded.customer, ai = excluded.ai, human = excluded.human, echo = excluded.echo`,
    { timeoutMs: 60_000 },
  );
}
