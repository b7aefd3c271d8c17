/**
 * The delivery worker's statements: claim and finish. Database time only, so that a wrong clock changes no schedule.
 */
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Db } from '../../platform/db/db.ts';
import { empty, plainList, type Sql, sql } from '../../platform/db/sql.ts';
import { claimed, type LeasedTable } from '../../platform/jobs/leases.ts';
import { isActive } from '../../platform/jobs/suspended.ts';
import { orderedAttempts } from './webhooks.schedule.ts';

/** Its attempt is returned when its process dies: most of what that had claimed was not started (D-135). */
export const deliveryTable: LeasedTable = {
  name: sql`webhook_deliveries`,
  holder: sql`lease_token`,
  isHeld: sql`t.status in ('pending', 'retrying') and t.lease_token is not null`,
  whenClaimed: [sql`attempts = t.attempts + 1`],
  whenFreed: [sql`attempts = t.attempts - 1`],
};

export interface ClaimedDelivery {
  accountId: string;
  id: string;
  webhookId: string;
  eventId: string;
  /** A result counts only while the lease is the one it was claimed with. */
  leaseToken: string;
  /** Others of its session wait for it. */
  ordered: boolean;
  /** Including this one. */
  attempt: number;
  /** Its row holds an attempt already; this one gets a row of webhook_attempts. */
  logged: boolean;
  url: string;
  secret: string;
  /** Also valid for signing until then. */
  previousSecrets: { secret: string; until: number }[];
  /** Shared with the event's other deliveries. */
  body: Buffer;
  /** The trace of the event; null: it has none. */
  traceparent: string | null;
  /** Where the row is unless someone changes it. */
  place: string;
}

export interface Budget {
  webhookId: string;
  count: number;
}

/**
 * The result of a claim: a row for each delivery, and one for each endpoint and event that they share. An event goes
 * to several endpoints, and an endpoint gets many events: with address, secret and body in each row a long claim
 * moved ten times as much.
 */
type ClaimRow =
  | (Pick<ClaimedDelivery, 'id' | 'webhookId' | 'eventId' | 'ordered' | 'attempt' | 'logged' | 'place'> &
      Order & { body: null })
  | (Endpoint & { id: null; webhookId: string })
  | (Event & { id: null; webhookId: null });

interface Order {
  createdAt: number;
  sequence: number;
}

type Endpoint = Pick<ClaimedDelivery, 'accountId' | 'url' | 'secret' | 'previousSecrets'>;
type Event = Pick<ClaimedDelivery, 'accountId' | 'eventId' | 'traceparent'> & { body: string };

/** An idle process asks only this. The order makes PostgreSQL read the index of open ones, however many there were once. */
export const hasOpenDeliveries = sql`coalesce((
  select true from webhook_deliveries where status in ('pending', 'retrying')
  order by account_id, webhook_id limit 1), false)`;

/**
 * Claims due deliveries, at most `count` per endpoint, so that an endpoint that hangs with a long queue takes
 * nothing from the others. The endpoints that have something waiting are found by hopping along the index (a scan of
 * all due rows took 30 ms with 100,000 rows of one endpoint in front).
 */
export async function claimDeliveries(
  db: Db,
  token: string,
  budgets: readonly Budget[],
  defaultCount: number,
): Promise<ClaimedDelivery[]> {
  const due = sql`
    select d.place from allowed a cross join lateral (
      select d.ctid as place from webhook_deliveries d
      where d.account_id = a.account_id and d.webhook_id = a.webhook_id
        and d.status in ('pending', 'retrying') and d.lease_token is null and d.next_attempt_at <= now()
        and (a.enabled or d.forced)
        and (d.order_key is null or not exists (
          select from webhook_deliveries earlier
          where earlier.account_id = d.account_id and earlier.webhook_id = d.webhook_id
            and earlier.order_key = d.order_key and earlier.sequence < d.sequence
            and earlier.status in ('pending', 'retrying')
            and (earlier.attempts < ${orderedAttempts} or earlier.lease_token is not null)))
      order by d.next_attempt_at limit a.count
      for update of d skip locked) d
    where a.count > 0 and ${isServedHere(sql`a.account_id`)}`;
  const columns = sql`t.account_id, t.id, t.webhook_id, t.event_id, t.order_key, t.attempts, t.attempt_at, t.created_at,
    t.sequence, t.ctid`;
  const rows = await db.autocommit<ClaimRow>(
    sql`
    with recursive endpoints as (
      (select account_id, webhook_id from webhook_deliveries
        where status in ('pending', 'retrying')
        order by account_id, webhook_id limit 1)
      union all
      select next.account_id, next.webhook_id from endpoints e cross join lateral (
        select d.account_id, d.webhook_id from webhook_deliveries d
        where d.status in ('pending', 'retrying')
          and (d.account_id, d.webhook_id) > (e.account_id, e.webhook_id)
        order by d.account_id, d.webhook_id limit 1) next
    ), allowed as (
      select e.account_id, e.webhook_id, w.enabled, coalesce(b.count, ${defaultCount}::int) as count
      from endpoints e
      join webhooks w on w.account_id = e.account_id and w.id = e.webhook_id
      left join unnest(${budgets.map((b) => b.webhookId)}::uuid[], ${budgets.map((b) => b.count)}::int[])
        as b (webhook_id, count) on b.webhook_id = e.webhook_id
      where ${isActive(sql`e.account_id`)}
    ), ${claimed(deliveryTable, token, due, columns)}
    select c.id, c.webhook_id as "webhookId", c.event_id as "eventId", c.order_key is not null as ordered,
      c.attempts as attempt, c.attempt_at is not null as logged, c.created_at as "createdAt", c.sequence, c.ctid as place,
      null::uuid as "accountId", null as url, null as secret, null::jsonb as "previousSecrets", null as body, null as traceparent
    from claimed c
    union all
    select null, w.id, null, null, null, null, null, null, null, w.account_id, w.url, w.secret, w.previous_secrets, null, null
    from (select distinct account_id, webhook_id from claimed) c
    join webhooks w on w.account_id = c.account_id and w.id = c.webhook_id
    union all
    select null, null, e.id, null, null, null, null, null, null, e.account_id, null, null, null, e.body, e.traceparent
    from (select distinct account_id, event_id from claimed) c
    join events e on e.account_id = c.account_id and e.id = c.event_id`,
    { isSilent: true },
  );
  return assemble(rows, token);
}

/** The oldest first. */
function assemble(rows: readonly ClaimRow[], leaseToken: string): ClaimedDelivery[] {
  const endpoints = new Map<string, Endpoint>();
  const events = new Map<string, Map<string, Pick<ClaimedDelivery, 'body' | 'traceparent'>>>();
  const deliveries: Extract<ClaimRow, { id: string }>[] = [];
  for (const row of rows) {
    if (row.id !== null) deliveries.push(row);
    else if (row.webhookId !== null) endpoints.set(row.webhookId, row);
    else {
      const { accountId, eventId, traceparent } = row;
      const event = { body: Buffer.from(row.body), traceparent };
      const ofAccount = events.get(accountId);
      if (ofAccount) ofAccount.set(eventId, event);
      else events.set(accountId, new Map([[eventId, event]]));
    }
  }
  deliveries.sort((a, b) => a.createdAt - b.createdAt || a.sequence - b.sequence);
  return deliveries.map(({ id, webhookId, eventId, ordered, attempt, logged, place }) => {
    const { accountId, url, secret, previousSecrets } = endpoints.get(webhookId)!;
    const { body, traceparent } = events.get(accountId)!.get(eventId)!;
    return {
      accountId,
      id,
      webhookId,
      eventId,
      leaseToken,
      ordered,
      attempt,
      logged,
      place,
      url,
      secret,
      previousSecrets,
      body,
      traceparent,
    };
  });
}

export interface FinishedAttempt {
  delivery: ClaimedDelivery;
  at: number;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  response: string | null;
  status: 'delivered' | 'retrying' | 'exhausted' | 'held';
  /** Until the next attempt; null if there is none. */
  gapMs: number | null;
}

/**
 * Writes results and log of many attempts at once. An attempt whose lease was taken away changes nothing, nor does one
 * whose delivery has been claimed again since, so a group whose commit is in doubt may be written again.
 *
 * Looks where the claim has left the rows, which saves the search for each; a row that was changed since lies
 * elsewhere, and is then found by its id.
 */
export async function finishAttempts(db: Db, attempts: readonly FinishedAttempt[]): Promise<void> {
  const finished = await finish(db, attempts, sql`d.ctid = r.place`);
  if (finished < attempts.length) await finish(db, attempts, sql`d.account_id = r.account_id`);
}

async function finish(db: Db, attempts: readonly FinishedAttempt[], where: Sql): Promise<number> {
  // Few groups have one that needs a row of its own; the others do without that part of the statement.
  const areAllInRow = attempts.every(({ delivery }) => !delivery.logged);
  const [row] = await db.autocommit<{ finished: number }>(sql`
    with finished as (
      update webhook_deliveries d set status = r.status, lease_token = null, forced = d.forced and r.status = 'retrying',
        next_attempt_at = now() + make_interval(secs => coalesce(r.gap_ms, 0) / 1000),
        ${areAllInRow ? inRow : inRowIfFree}
      from unnest(
        ${plainList(attempts.map((a) => a.delivery.accountId))}::uuid[], ${plainList(attempts.map((a) => a.delivery.id))}::uuid[],
        ${plainList(attempts.map((a) => a.delivery.leaseToken))}::uuid[], ${plainList(attempts.map((a) => a.at))}::bigint[],
        ${plainList(attempts.map((a) => a.durationMs))}::int[], ${plainList(attempts.map((a) => a.statusCode))}::int[],
        ${attempts.map((a) => a.error)}::text[], ${attempts.map((a) => a.response)}::text[],
        ${plainList(attempts.map((a) => a.status))}::text[], ${plainList(attempts.map((a) => a.gapMs))}::float8[],
        ${plainList(attempts.map((a) => a.delivery.attempt))}::int[], ${plainList(attempts.map((a) => `"${a.delivery.place}"`))}::tid[],
        ${plainList(attempts.map((a) => a.delivery.logged))}::boolean[]
      ) as r (account_id, id, lease_token, at, duration_ms, status_code, error, response, status, gap_ms, attempt, place, logged)
      where ${where} and d.id = r.id and d.lease_token = r.lease_token and d.attempts = r.attempt
      returning ${areAllInRow ? sql`1` : sql`d.account_id, d.id, r.at, r.duration_ms, r.status_code, r.error, r.response, r.logged`}
    )${areAllInRow ? empty : logOthers}
    select count(*)::int as finished from finished`);
  return row!.finished;
}

const inRow = sql`attempt_at = r.at, attempt_ms = r.duration_ms, attempt_status = r.status_code, attempt_error = r.error,
  attempt_response = r.response`;

const inRowIfFree = sql`attempt_at = case when r.logged then d.attempt_at else r.at end,
  attempt_ms = case when r.logged then d.attempt_ms else r.duration_ms end,
  attempt_status = case when r.logged then d.attempt_status else r.status_code end,
  attempt_error = case when r.logged then d.attempt_error else r.error end,
  attempt_response = case when r.logged then d.attempt_response else r.response end`;

const logOthers = sql`, others as (
  insert into webhook_attempts (account_id, delivery_id, at, duration_ms, status_code, error, response)
  select account_id, id, at, duration_ms, status_code, error, response from finished where logged
)`;
