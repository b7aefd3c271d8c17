/**
 * Blocks: the figures of many conversations, added up. A block is never trusted for itself: it stores the sum of a hash
 * of each member's state, and a report uses it only while the conversations in its place have that sum. So nothing has
 * to keep blocks right: an erased, moved or changed conversation changes the sum, and the report adds up its members.
 * Retention changes no state: what it removed is noted in `removed_figures`.
 */
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';

const monthMs = 30 * 86_400_000;
/** Smaller ones save nothing. */
const usualLeast = 200;

/** Where the conversation `s` counts: reports filter by the first three. */
export const blockKey = sql`s.kanban_id, s.channel_id, s.agent_id, (s.created_at / ${monthMs}::bigint)::int`;

/** Of a conversation, or of its figures when they were computed: what decides whether the figures are valid. */
export const stateHash = (sessionId: Sql, messageCount: Sql, updatedAt: Sql): Sql =>
  sql`hashint8extended(${updatedAt}, hashint8extended(${messageCount}, hashtextextended(${sessionId}, 0)))`;

export const figuresHash = stateHash(sql`f.session_id`, sql`f.message_count`, sql`f.session_updated_at`);

/** Of these accounts (null: of all) those that can have blocks, or have some. */
export async function selectAccountsOfBlocks(
  db: Reader,
  accountIds: readonly string[] | null,
  least = usualLeast,
): Promise<string[]> {
  const only = (account: Sql) =>
    sql`${accountIds === null ? empty : sql`${account} = any(${accountIds}::uuid[]) and`} ${isServedHere(account)}`;
  const rows = await db.query<{ id: string }>(
    sql`
    select s.account_id as id from sessions s where ${only(sql`s.account_id`)}
    group by 1 having count(*) >= ${least}::int
    union select b.account_id from traffic_blocks b where ${only(sql`b.account_id`)}
    union select r.account_id from removed_figures r where ${only(sql`r.account_id`)}`,
    { timeoutMs: 60_000 },
  );
  return rows.map(({ id }) => id);
}

/** Where the blocks contain what is no longer there. */
export const removedPlaces = (account: Sql): Sql => sql`
  select distinct ${blockKey} as month from removed_figures r
  join sessions s on s.account_id = r.account_id and s.session_id = r.session_id where r.account_id = ${account}`;

const isRemoved = sql`select from removed r
  where (r.kanban_id, r.channel_id, r.agent_id, r.month) = (p.kanban_id, p.channel_id, p.agent_id, p.month)`;

/**
 * Computes the blocks of an account whose members have changed, from one snapshot, and removes those that became too
 * small. `until` is the first time at which a conversation without valid figures changed: all that were last changed
 * before it have valid ones. Members are the figures from before it, valid or not.
 *
 * Figures may be removed by a transaction that this snapshot does not see. Their row in `removed_figures` is not seen
 * either, so it stays, and reports do not use these blocks until they are computed once more.
 */
export async function refreshBlocks(tx: Tx, accountId: string, least = usualLeast): Promise<void> {
  await tx.query(
    sql`select set_config('work_mem', '32MB', true), set_config('enable_nestloop', 'off', true)`,
  );
  await tx.query(
    sql`
    with known as materialized (
      select s.account_id, ${blockKey} as month, s.session_id, s.updated_at, f.session_updated_at, ${figuresHash} as state,
        coalesce(f.message_count = s.message_count and f.session_updated_at = s.updated_at, false) as is_current
      from sessions s left join conversation_figures f on f.account_id = s.account_id and f.session_id = s.session_id
      where s.account_id = ${accountId} and ${isServedHere(sql`s.account_id`)}
    ), ends as (
      select account_id, coalesce(min(updated_at) filter (where not is_current), max(updated_at) + 1) as until
      from known group by 1
    ), members as materialized (
      select k.*, e.until from known k join ends e using (account_id) where k.session_updated_at < e.until
    ), present as materialized (
      select account_id, kanban_id, channel_id, agent_id, month, until, count(*)::int as conversations,
        sum(state) as states
      from members group by 1, 2, 3, 4, 5, 6 having count(*) >= ${least}::int
    ), removed as materialized (
      ${removedPlaces(sql`${accountId}::uuid`)}
    ), settled as (
      delete from removed_figures r using known k
      where r.account_id = ${accountId} and k.session_id = r.session_id and k.is_current
    ), gone as (
      delete from traffic_blocks b
      where b.account_id = ${accountId} and ${isServedHere(sql`b.account_id`)} and not exists (
        select from present p where (p.account_id, p.kanban_id, p.channel_id, p.agent_id, p.month)
          = (b.account_id, b.kanban_id, b.channel_id, b.agent_id, b.month))
    ), same as (
      update traffic_blocks b set until = p.until from present p
      where (p.account_id, p.kanban_id, p.channel_id, p.agent_id, p.month)
          = (b.account_id, b.kanban_id, b.channel_id, b.agent_id, b.month)
        and b.account_id = ${accountId} and b.conversations = p.conversations and b.states = p.states
        and b.until <> p.until and not exists (${isRemoved})
    ), changed as materialized (
      select p.* from present p left join traffic_blocks b using (account_id, kanban_id, channel_id, agent_id, month)
      where (b.conversations, b.states) is distinct from (p.conversations, p.states) or exists (${isRemoved})
    ), quarters as (
      select t.account_id, t.kanban_id, t.channel_id, t.agent_id, t.month, t.slot, sum(t.customer)::int as customer,
        sum(t.ai)::int as ai, sum(t.human)::int as human, sum(t.echo)::int as echo
      from (
        select m.account_id, m.kanban_id, m.channel_id, m.agent_id, m.month, unnest(f.slots) as slot,
          unnest(f.customer) as customer, unnest(f.ai) as ai, unnest(f.human) as human, unnest(f.echo) as echo
        from changed join members m using (account_id, kanban_id, channel_id, agent_id, month)
        join conversation_figures f on f.account_id = m.account_id and f.session_id = m.session_id) t
      group by 1, 2, 3, 4, 5, 6
    )
    insert into traffic_blocks (account_id, kanban_id, channel_id, agent_id, month, until, conversations, states, slots,
      customer, ai, human, echo)
    select c.account_id, c.kanban_id, c.channel_id, c.agent_id, c.month, c.until, c.conversations, c.states,
      coalesce(q.slots, '{}'), coalesce(q.customer, '{}'), coalesce(q.ai, '{}'), coalesce(q.human, '{}'),
      coalesce(q.echo, '{}')
    from changed c left join (
      select account_id, kanban_id, channel_id, agent_id, month, array_agg(slot order by slot) as slots,
        array_agg(customer order by slot) as customer, array_agg(ai order by slot) as ai,
        array_agg(human order by slot) as human, array_agg(echo order by slot) as echo
      from quarters group by 1, 2, 3, 4, 5) q using (account_id, kanban_id, channel_id, agent_id, month)
    on conflict (account_id, kanban_id, channel_id, agent_id, month) do update set
      until = excluded.until, conversations = excluded.conversations, states = excluded.states, slots = excluded.slots,
      customer = excluded.customer, ai = excluded.ai, human = excluded.human, echo = excluded.echo`,
    { timeoutMs: 60_000 },
  );
}
