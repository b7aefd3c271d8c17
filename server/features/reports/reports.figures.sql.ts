/** Computes the figures of conversations before reports need them. */
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

export const slotMs = 900_000;

/**
 * The figures `f` are those of the current state of conversation `s`. `case` hides the second half from the planner,
 * which would assume a rare coincidence and plan for a single row.
 */
export const rolledUp = sql`f.account_id = s.account_id and f.session_id = s.session_id
  and case when f.message_count = s.message_count and f.session_updated_at = s.updated_at then true else false end`;

/** How a message `m` counts: the same for the figures and for what is read without them. */
export const isCounted = sql`not m.is_note and not m.held and m.role <> 'system'`;
export const isCustomer = sql`m.role = 'user' and not m.is_echo`;
export const isEcho = sql`m.role = 'user' and m.is_echo`;
export const isAi = sql`m.role = 'assistant'`;
/** What a rule writes is no answer. */
export const isHuman = sql`m.role = 'operator' and not m.by_rule`;

/** Of the conversation `s`: the customer's first message, and the first answer after it. */
export const firstAnswer = sql`
  left join lateral (
    select m.position, m.created_at as at from messages m
    where m.account_id = s.account_id and m.session_id = s.session_id and ${isCounted}
      and ${isCustomer}
    order by m.position limit 1) asked on true
  left join lateral (
    select m.created_at as at, ${isAi} as by_ai from messages m
    where m.account_id = s.account_id and m.session_id = s.session_id and m.position > asked.position
      and ${isCounted} and (${isAi} or ${isHuman})
    order by m.position limit 1) answered on true`;

export interface Place {
  accountId: string;
  sessionId: string;
}

/**
 * Conversations without figures of their current state that were changed since then, but not since `quietSince`, and
 * those whose figures were removed: their blocks have to be computed again.
 * Nothing is indexed by `updated_at`, because every message changes it and would have to update all indexes of its
 * conversation: the table is scanned, which takes a tenth of the time of looking up every conversation's figures.
 */
export async function selectChanged(db: Reader, since: number, quietSince: number): Promise<Place[]> {
  return db.query<Place>(
    sql`
    select s.account_id as "accountId", s.session_id as "sessionId" from sessions s
    left join conversation_figures f on ${rolledUp}
    where s.updated_at >= ${since} and s.updated_at < ${quietSince} and f.session_id is null
      and ${isServedHere(sql`s.account_id`)}
    union select account_id, session_id from removed_figures r where ${isServedHere(sql`r.account_id`)}`,
    { timeoutMs: 60_000 },
  );
}

/** One page of all conversations, by their key. Returns the last of the page; null: that was the last page. */
export async function rollUpPage(
  tx: Tx,
  after: Place | null,
  quietSince: number,
  limit: number,
): Promise<Place | null> {
  const { accountId, sessionId } = after ?? {
    accountId: '00000000-0000-0000-0000-000000000000',
    sessionId: '',
  };
  const page = sql`
    select s.account_id, s.session_id, s.message_count, s.updated_at from sessions s
    where (s.account_id, s.session_id) > (${accountId}::uuid, ${sessionId}::text)
    order by s.account_id, s.session_id limit ${limit}`;
  return writeFigures(tx, page, quietSince);
}

export async function rollUpSome(tx: Tx, places: readonly Place[], quietSince: number): Promise<void> {
  const page = sql`
    select s.account_id, s.session_id, s.message_count, s.updated_at from sessions s
    join unnest(${places.map((one) => one.accountId)}::uuid[], ${places.map((one) => one.sessionId)}::text[])
      as k (account_id, session_id) on k.account_id = s.account_id and k.session_id = s.session_id`;
  await writeFigures(tx, page, quietSince);
}

/**
 * Of a page of conversations those without figures of their current state that have not changed since `quietSince`.
 * Conversations and messages are read by one statement: a message that commits meanwhile is in neither, and its
 * conversation's count shows it.
 */
async function writeFigures(tx: Tx, page: Sql, quietSince: number): Promise<Place | null> {
  const [last] = await tx.query<Place>(
    sql`
    with page as materialized (${page}), written as (
      insert into conversation_figures as known (account_id, session_id, message_count, session_updated_at, asked_at,
        answered_at, answered_by_ai, slots, customer, ai, human, echo)
      select s.account_id, s.session_id, s.message_count, s.updated_at, asked.at, answered.at, answered.by_ai,
        coalesce(t.slots, '{}'), coalesce(t.customer, '{}'), coalesce(t.ai, '{}'), coalesce(t.human, '{}'),
        coalesce(t.echo, '{}')
      from page s
      left join conversation_figures f on ${rolledUp}
      ${firstAnswer}
      left join lateral (
        select array_agg(q.slot order by q.slot) as slots, array_agg(q.customer order by q.slot) as customer,
          array_agg(q.ai order by q.slot) as ai, array_agg(q.human order by q.slot) as human,
          array_agg(q.echo order by q.slot) as echo
        from (
          select (m.created_at / ${slotMs}::bigint)::int as slot,
            (count(*) filter (where ${isCustomer}))::int as customer, (count(*) filter (where ${isAi}))::int as ai,
            (count(*) filter (where ${isHuman}))::int as human, (count(*) filter (where ${isEcho}))::int as echo
          from messages m where m.account_id = s.account_id and m.session_id = s.session_id and ${isCounted}
          group by 1) q) t on true
      where f.session_id is null and s.updated_at < ${quietSince} and ${isServedHere(sql`s.account_id`)}
      on conflict (account_id, session_id) do update set message_count = excluded.message_count,
        session_updated_at = excluded.session_updated_at, asked_at = excluded.asked_at,
        answered_at = excluded.answered_at, answered_by_ai = excluded.answered_by_ai, slots = excluded.slots,
        customer = excluded.customer, ai = excluded.ai, human = excluded.human, echo = excluded.echo
    )
    select account_id as "accountId", session_id as "sessionId" from page
    order by account_id desc, session_id desc limit 1`,
    { timeoutMs: 60_000 },
  );
  return last ?? null;
}
