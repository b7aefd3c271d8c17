/** The rows that wait to be sent: claimed under a lease, in the order of their session, fairly between channels. */
import type { IdentifierKind } from '../../../../contract/connectors.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export type OutboundState = 'waiting' | 'sending' | 'unknown' | 'sent' | 'failed';

/** One call to the provider, and how far it is. */
export interface PlannedPart {
  text: string;
  /** Which of the message's files. */
  file: number | null;
  state: 'waiting' | 'sending' | 'unknown' | 'sent';
  /** Of the call whose answer is missing. */
  startedAt: number | null;
  providerMsgId: string | null;
}

export interface OutboundRow {
  accountId: string;
  id: string;
  channelId: string;
  sessionId: string;
  kind: 'message' | 'reaction';
  messageId: string;
  emoji: string | null;
  state: OutboundState;
  attempts: number;
  parts: PlannedPart[] | null;
  leaseToken: string | null;
  reason: string | null;
  createdAt: number;
}

const columns = sql`o.account_id as "accountId", o.id, o.channel_id as "channelId", o.session_id as "sessionId", o.kind,
  o.message_id as "messageId", o.emoji, o.state, o.attempts, o.parts, o.lease_token as "leaseToken", o.reason,
  o.created_at as "createdAt"`;

const leaseSeconds = 5;

/**
 * At most `perChannel` of a channel together with those that the process already has. Only the first row of a session
 * that is not sent may go; one whose answer was lost holds up nobody.
 */
export async function claimOutbound(
  db: Db,
  token: string,
  running: ReadonlyMap<string, number>,
  perChannel: number,
): Promise<OutboundRow[]> {
  return db.autocommit<OutboundRow>(sql`
    with recursive waiting as (
      (select account_id, channel_id from connector_outbound
        where state in ('waiting', 'sending', 'unknown') order by account_id, channel_id limit 1)
      union all
      select next.account_id, next.channel_id from waiting w cross join lateral (
        select o.account_id, o.channel_id from connector_outbound o
        where o.state in ('waiting', 'sending', 'unknown')
          and (o.account_id, o.channel_id) > (w.account_id, w.channel_id)
        order by o.account_id, o.channel_id limit 1) next
    ), open as (
      select w.account_id, w.channel_id, c.state = 'connected' and ch.enabled as may_send,
        ${perChannel}::int - coalesce(r.count, 0) as count
      from waiting w
      join connectors c on c.account_id = w.account_id and c.channel_id = w.channel_id
      join channels ch on ch.account_id = w.account_id and ch.id = w.channel_id
      left join unnest(${[...running.keys()]}::uuid[], ${[...running.values()]}::int[]) as r (channel_id, count)
        on r.channel_id = w.channel_id
    ), due as (
      select d.place from open cross join lateral (
        select o.ctid as place from connector_outbound o
        where o.account_id = open.account_id and o.channel_id = open.channel_id
          and o.state in ('waiting', 'sending', 'unknown') and o.due_at <= now()
          and (o.state = 'unknown' or (open.may_send and not exists (
            select from connector_outbound earlier
            where earlier.account_id = o.account_id and earlier.session_id = o.session_id
              and earlier.seq < o.seq and earlier.state in ('waiting', 'sending'))))
        order by o.due_at limit open.count
        for update of o skip locked) d
      where open.count > 0
    )
    update connector_outbound o set lease_token = ${token}, due_at = now() + make_interval(secs => ${leaseSeconds})
    from due where o.ctid = due.place
    returning ${columns}`);
}

/** Of the rows that a process works on, unless another one has taken them over. */
export async function renewLeases(db: Db, rows: readonly OutboundRow[]): Promise<void> {
  await db.autocommit(sql`
    update connector_outbound o set due_at = now() + make_interval(secs => ${leaseSeconds})
    from unnest(${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.leaseToken)}::uuid[]) as mine (id, token)
    where o.lease_token = mine.token and o.id = mine.id`);
}

/** Before a call and after it. False: another process has taken the row over. */
export async function saveParts(
  db: Db,
  row: OutboundRow,
  parts: readonly PlannedPart[],
  now: number,
): Promise<boolean> {
  const rows = await db.autocommit(sql`
    update connector_outbound set state = 'sending', parts = ${JSON.stringify(parts)}::jsonb, updated_at = ${now},
      reason = null
    where account_id = ${row.accountId} and id = ${row.id} and lease_token = ${row.leaseToken}
    returning 1`);
  return rows.length > 0;
}

export interface Released {
  parts: readonly PlannedPart[] | null;
  attempts: number;
  waitMs: number;
  /** Why it waits. */
  reason: string | null;
}

/** It waits and is tried again. */
export async function releaseOutbound(
  db: Db,
  row: OutboundRow,
  { parts, attempts, waitMs, reason }: Released,
  now: number,
): Promise<void> {
  const isSending = parts?.some(({ state }) => state === 'sending') ?? false;
  await db.autocommit(sql`
    update connector_outbound set state = ${isSending ? 'sending' : 'waiting'}, lease_token = null,
      parts = ${parts && JSON.stringify(parts)}::jsonb, attempts = ${attempts}, reason = ${reason},
      due_at = now() + make_interval(secs => ${waitMs / 1000}::float8), updated_at = ${now}
    where account_id = ${row.accountId} and id = ${row.id} and lease_token = ${row.leaseToken}`);
}

/** Its parts stay as they are, so that a call that has begun is looked up. */
export async function releaseLease(db: Db, row: OutboundRow, waitMs: number): Promise<void> {
  await db.autocommit(sql`
    update connector_outbound set lease_token = null, due_at = now() + make_interval(secs => ${waitMs / 1000}::float8)
    where account_id = ${row.accountId} and id = ${row.id} and lease_token = ${row.leaseToken}`);
}

/** With its lock, until the transaction ends. */
export async function lockOutbound(tx: Tx, accountId: string, id: string): Promise<OutboundRow | null> {
  const [row] = await tx.query<OutboundRow>(
    sql`select ${columns} from connector_outbound o where o.account_id = ${accountId} and o.id = ${id} for update`,
  );
  return row ?? null;
}

export async function findOutbound(db: Reader, accountId: string, id: string): Promise<OutboundRow | null> {
  const [row] = await db.query<OutboundRow>(
    sql`select ${columns} from connector_outbound o where o.account_id = ${accountId} and o.id = ${id}`,
  );
  return row ?? null;
}

/** Calls that have begun and whose answer is missing, the oldest first. */
export async function selectUnanswered(
  db: Reader,
  accountId: string,
  channelId: string,
): Promise<(OutboundRow & { externalUserId: string | null })[]> {
  return db.query<OutboundRow & { externalUserId: string | null }>(sql`
    select ${columns}, s.external_user_id as "externalUserId" from connector_outbound o
    join sessions s on s.account_id = o.account_id and s.session_id = o.session_id
    where o.account_id = ${accountId} and o.channel_id = ${channelId}
      and (o.state in ('sending', 'unknown') or (o.state = 'failed' and o.parts @> '[{"state": "unknown"}]'))
      and o.kind = 'message'
    order by o.seq`);
}

/** Of one conversation. */
export async function selectUnansweredOf(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<Pick<OutboundRow, 'parts'>[]> {
  return db.query<Pick<OutboundRow, 'parts'>>(sql`
    select parts from connector_outbound
    where account_id = ${accountId} and session_id = ${sessionId} and state in ('sending', 'unknown')
      and kind = 'message'`);
}

/** The provider's id of the customer's latest message. */
export async function findLastReceived(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<string | null> {
  const [row] = await db.query<{ provider_msg_id: string }>(sql`
    select provider_msg_id from (
      select provider_msg_id, role, is_echo from messages
      where account_id = ${accountId} and session_id = ${sessionId} order by position desc limit 100) latest
    where role = 'user' and not is_echo and provider_msg_id is not null limit 1`);
  return row?.provider_msg_id ?? null;
}

/** Of the customer of a conversation, the oldest first. */
export async function selectIdentifiers(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<{ kind: IdentifierKind; value: string }[]> {
  return db.query<{ kind: IdentifierKind; value: string }>(sql`
    select i.kind, i.value from sessions s
    join contact_identifiers i on i.account_id = s.account_id and i.contact_id = s.contact_id
    where s.account_id = ${accountId} and s.session_id = ${sessionId}
    order by i.added_at limit 50`);
}

/** What has become of it. `keepLease`: the process goes on with the next part. */
export async function writeOutcome(
  tx: Tx,
  accountId: string,
  id: string,
  outcome: {
    state: OutboundState;
    parts: readonly PlannedPart[] | null;
    reason: string | null;
    keepLease: boolean;
    /** Of `unknown`: when it is given up. */
    waitMs?: number;
  },
  now: number,
): Promise<void> {
  const { state, parts, reason, keepLease, waitMs = 0 } = outcome;
  await tx.query(sql`
    update connector_outbound set state = ${state}, parts = ${parts && JSON.stringify(parts)}::jsonb, reason = ${reason},
      lease_token = case when ${keepLease} then lease_token end,
      due_at = case when ${keepLease} then due_at else now() + make_interval(secs => ${waitMs / 1000}::float8) end,
      updated_at = ${now}
    where account_id = ${accountId} and id = ${id}`);
}

/** Milliseconds to wait. Not reserved: the customer has to wait that long, then ask again. */
export async function reserveSend(
  db: Db,
  accountId: string,
  pace: {
    channelId: string;
    customer: string;
    perSecond: number;
    perCustomerSecond: number | null;
    customerBurst?: number;
  },
): Promise<{ reserved: boolean; waitMs: number }> {
  const { channelId, customer, perSecond, perCustomerSecond, customerBurst = 1 } = pace;
  const place = sql`${accountId}, ${channelId}, ${customer}::text`;
  const gaps = sql`${1 / perSecond}::float8, ${perCustomerSecond && 1 / perCustomerSecond}::float8`;
  const reserve =
    perCustomerSecond !== null && customerBurst > 1
      ? sql`reserve_burst_send(${place}, ${gaps}, ${customerBurst}::int)`
      : sql`reserve_send(${place}, ${gaps})`;
  const [row] = await db.autocommit<{ reserved: boolean; waitMs: number }>(
    sql`select reserved, wait_ms as "waitMs" from ${reserve}`,
  );
  return row!;
}

/** Times that have passed say nothing any more. */
export async function prunePace(db: Db): Promise<void> {
  await db.autocommit(sql`delete from connector_pace where next_at < now() - interval '1 minute'`);
}

export async function pruneOutbound(db: Db, before: number): Promise<void> {
  await db.autocommit(
    sql`delete from connector_outbound where state in ('sent', 'failed') and updated_at < ${before}`,
  );
}
