/** What has really happened in the workspace, for a newcomer's first steps. The demo does not count. */
import type { FirstRun, FirstRunStep } from '../../../contract/first-run.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

export interface StoredFirstRun {
  steps: { [step in FirstRunStep]?: number };
  dismissedAt: number | null;
}

export async function findFirstRun(db: Reader, accountId: string): Promise<StoredFirstRun> {
  const [row] = await db.query<StoredFirstRun>(sql`
    select steps, dismissed_at as "dismissedAt" from first_run where account_id = ${accountId}`);
  return row ?? { steps: {}, dismissedAt: null };
}

/** A recorded step keeps its first time. */
export async function noteSteps(tx: Tx, accountId: string, steps: StoredFirstRun['steps']): Promise<void> {
  await tx.query(sql`
    insert into first_run as f (account_id, steps) values (${accountId}, ${JSON.stringify(steps)})
    on conflict (account_id) do update set steps = excluded.steps || f.steps`);
}

export async function setDismissed(tx: Tx, accountId: string, dismissedAt: number | null): Promise<void> {
  await tx.query(sql`
    insert into first_run (account_id, dismissed_at) values (${accountId}, ${dismissedAt})
    on conflict (account_id) do update set dismissed_at = excluded.dismissed_at`);
}

export async function isEmpty(db: Reader, accountId: string): Promise<boolean> {
  const [row] = await db.query<{ is_empty: boolean }>(sql`
    select not exists (select from sessions where account_id = ${accountId})
      and not exists (select from records where account_id = ${accountId}) as is_empty`);
  return row!.is_empty;
}

export async function findWebChannel(
  db: Reader,
  accountId: string,
  demoChannelIds: string[],
): Promise<FirstRun['chat']> {
  const [row] = await db.query<{ channelId: string; channelName: string }>(sql`
    select id as "channelId", name as "channelName" from channels
    where account_id = ${accountId} and type = 'web' and not id = any(${demoChannelIds}::uuid[])
    order by created_at, id limit 1`);
  return row ?? null;
}

/**
 * Only the latest are read: a workspace with more is long past its first steps. More conversations than the demo has
 * (330), because real ones may be older than its newest.
 */
const looked = { sessions: 1_000, chats: 50, messages: 200, deliveries: 100 };

/** The latest conversations, of every kind of channel. The demo's do not count. */
const latestChats = (accountId: string, demoChannelIds: string[]): Sql => sql`(
  select s.account_id, s.session_id, s.session_name, s.ai_paused, s.record_id, s.kanban_id, s.created_at, s.last_message_at
  from (
    select account_id, session_id, session_name, ai_paused, record_id, kanban_id, channel_id, message_count, created_at,
      last_message_at
    from sessions where account_id = ${accountId} order by last_minute desc limit ${looked.sessions}) s
  where not s.channel_id = any(${demoChannelIds}::uuid[]) and s.message_count > 0
  order by s.last_message_at desc, s.session_id desc limit ${looked.chats})`;

/** One that we started counts when the customer has answered. */
const hasCustomer = (accountId: string): Sql =>
  sql`exists (select from ${latestMessages(sql`s.session_id`, accountId)} m where m.role = 'user')`;

const latestMessages = (sessionId: Sql, accountId: string): Sql => sql`(
  select role, held, is_note, by_rule, created_at from messages
  where account_id = ${accountId} and session_id = ${sessionId} order by position desc limit ${looked.messages})`;

export interface LatestChat extends NonNullable<FirstRun['conversation']> {
  chatAt: number;
  cardAt: number | null;
}

export async function findLatestChat(
  db: Reader,
  accountId: string,
  demoChannelIds: string[],
): Promise<LatestChat | null> {
  const [row] = await db.query<LatestChat>(sql`
    select s.session_id as "sessionId", s.session_name as "sessionName", s.ai_paused as "aiPaused",
      exists (select from ${latestMessages(sql`s.session_id`, accountId)} m
        where m.role = 'assistant' and not m.held) as answered,
      r.id as "recordId", r.title as "recordTitle", r.status, s.kanban_id as "kanbanId",
      s.created_at as "chatAt", r.created_at as "cardAt"
    from ${latestChats(accountId, demoChannelIds)} s
    left join records r on r.account_id = s.account_id and r.id = s.record_id
    where ${hasCustomer(accountId)}
    order by s.last_message_at desc, s.session_id desc limit 1`);
  return row ?? null;
}

/** When a person first answered in one of the latest chats. */
export async function findTakeOver(
  db: Reader,
  accountId: string,
  demoChannelIds: string[],
): Promise<number | null> {
  const [row] = await db.query<{ at: number }>(sql`
    select m.created_at as at from ${latestChats(accountId, demoChannelIds)} s
    join lateral ${latestMessages(sql`s.session_id`, accountId)} m on true
    where m.role = 'operator' and not m.is_note and not m.by_rule and ${hasCustomer(accountId)}
    order by m.created_at limit 1`);
  return row?.at ?? null;
}

export async function findFirstToken(db: Reader, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ at: number | null }>(sql`
    select min(created_at) as at from api_tokens where account_id = ${accountId}`);
  return row?.at ?? null;
}

/**
 * What the built-in receiver got and could verify (it keeps few requests), or what an endpoint has accepted lately:
 * its latest deliveries are read, each endpoint's by the index of its log.
 */
export async function findFirstWebhook(db: Reader, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ at: number | null }>(sql`
    select min(at) as at from (
      (select received_at as at from webhook_inbox_requests where account_id = ${accountId} and signature = 'valid')
      union all
      (select d.created_at from webhooks w
        join lateral (
          select status, created_at from webhook_deliveries
          where account_id = w.account_id and webhook_id = w.id
          order by created_at desc, id desc limit ${looked.deliveries}) d on true
        where w.account_id = ${accountId} and w.kind = 'webhook' and d.status = 'delivered')) happened`);
  return row?.at ?? null;
}
