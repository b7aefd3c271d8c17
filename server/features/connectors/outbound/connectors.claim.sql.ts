/** Which rows a process sends: in the order of their session, fairly between channels. */
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Db } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { claimed, type LeasedTable } from '../../../platform/jobs/leases.ts';
import { isActive } from '../../../platform/jobs/suspended.ts';
import { type OutboundRow, outboundColumnsOf, type PlannedPart } from './connectors.outbound.sql.ts';

/** A row at work is never due. */
export const outboundTable: LeasedTable = {
  name: sql`connector_outbound`,
  holder: sql`lease_token`,
  isHeld: sql`((t.state in ('waiting', 'sending') and t.due_at = 'infinity')
    or (t.state = 'unknown' and t.due_at = 'infinity'))`,
  whenClaimed: [sql`due_at = 'infinity'`],
  whenFreed: [sql`due_at = now()`],
};

/** Rows whose response was lost, and which are given up. They need no call. */
const givenUpAtOnce = 50;

/** Whether anything is open at all: an idle process asks only this, which takes a fiftieth of a claim. */
export const hasOutbound = sql`(exists (select from connector_outbound where state in ('waiting', 'sending'))
  or exists (select from connector_outbound where state = 'unknown'))`;

/**
 * At most `perChannel` of a channel together with those that the process already has, and only of channels that may send
 * now. Those of a removed connector are claimed too: they fail. Only the first row of a session that is not sent may go; one
 * whose response was lost does not keep others waiting.
 */
export async function claimOutbound(
  db: Db,
  token: string,
  running: ReadonlyMap<string, number>,
  perChannel: number,
): Promise<OutboundRow[]> {
  const due = sql`
    select d.place from open cross join lateral (
      select o.ctid as place from connector_outbound o
      where o.account_id = open.account_id and o.channel_id = open.channel_id
        and o.state in ('waiting', 'sending')
        and (o.due_at <= now() or (open.is_removed and o.lease_token is null))
        and not exists (
          select from connector_outbound earlier
          where earlier.account_id = o.account_id and earlier.session_id = o.session_id
            and earlier.seq < o.seq and earlier.state in ('waiting', 'sending'))
      order by o.due_at limit open.count
      for update of o skip locked) d
    union all select place from given_up`;
  return db.autocommit<OutboundRow>(sql`
    with recursive waiting as (
      (select account_id, channel_id from connector_outbound
        where state in ('waiting', 'sending') order by account_id, channel_id limit 1)
      union all
      select next.account_id, next.channel_id from waiting w cross join lateral (
        select o.account_id, o.channel_id from connector_outbound o
        where o.state in ('waiting', 'sending') and (o.account_id, o.channel_id) > (w.account_id, w.channel_id)
        order by o.account_id, o.channel_id limit 1) next
    ), open as (
      select w.account_id, w.channel_id, c.channel_id is null as is_removed,
        ${perChannel}::int - coalesce(r.count, 0) as count
      from waiting w
      join channels ch on ch.account_id = w.account_id and ch.id = w.channel_id
      left join connectors c on c.account_id = w.account_id and c.channel_id = w.channel_id
      left join connector_pace p on p.account_id = w.account_id and p.channel_id = w.channel_id and p.customer = ''
      left join unnest(${[...running.keys()]}::uuid[], ${[...running.values()]}::int[]) as r (channel_id, count)
        on r.channel_id = w.channel_id
      where (c.channel_id is null or (c.state = 'connected' and ch.enabled))
        and (p.paused_until is null or p.paused_until <= now())
        and coalesce(r.count, 0) < ${perChannel}::int and ${isServedHere(sql`w.account_id`)}
        and ${isActive(sql`w.account_id`)}
    ), given_up as (
      select ctid as place from connector_outbound
      where state = 'unknown' and due_at <= now() and ${isServedHere(sql`connector_outbound.account_id`)}
        and ${isActive(sql`connector_outbound.account_id`)}
      order by due_at limit ${givenUpAtOnce} for update skip locked
    ), ${claimed(outboundTable, token, due, outboundColumnsOf(sql`t`))}
    select * from claimed`);
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
