/** The deliverer's statements: claim and finish. Database time only, so that a wrong clock changes no schedule. */
import type { Db } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { orderedAttempts } from './webhooks.schedule.ts';

export interface ClaimedDelivery {
  accountId: string;
  id: string;
  webhookId: string;
  eventId: string;
  /** A result counts only while the lease is still the one it was claimed with. */
  leaseToken: string;
  /** Others of its session wait for it. */
  ordered: boolean;
  /** This one counted. */
  attempt: number;
  url: string;
  secret: string;
  /** They sign along until their time. */
  previousSecrets: { secret: string; until: number }[];
  body: string;
}

export interface Budget {
  webhookId: string;
  count: number;
}

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
  return db.transaction((tx) =>
    tx.queryAndCommit<ClaimedDelivery>(sql`
      with recursive endpoints as (
        (select account_id, webhook_id from webhook_deliveries
          where status in ('pending', 'retrying') and lease_token is null
          order by account_id, webhook_id limit 1)
        union all
        select next.account_id, next.webhook_id from endpoints e cross join lateral (
          select d.account_id, d.webhook_id from webhook_deliveries d
          where d.status in ('pending', 'retrying') and d.lease_token is null
            and (d.account_id, d.webhook_id) > (e.account_id, e.webhook_id)
          order by d.account_id, d.webhook_id limit 1) next
      ), allowed as (
        select e.account_id, e.webhook_id, coalesce(b.count, ${defaultCount}::int) as count
        from endpoints e
        left join unnest(${budgets.map((b) => b.webhookId)}::uuid[], ${budgets.map((b) => b.count)}::int[])
          as b (webhook_id, count) on b.webhook_id = e.webhook_id
      ), due as (
        select d.account_id, d.id from allowed a cross join lateral (
          select d.account_id, d.id from webhook_deliveries d
          join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id
          where d.account_id = a.account_id and d.webhook_id = a.webhook_id
            and d.status in ('pending', 'retrying') and d.lease_token is null and d.next_attempt_at <= now()
            and (w.enabled or d.forced)
            and (d.order_key is null or not exists (
              select from webhook_deliveries earlier
              where earlier.account_id = d.account_id and earlier.webhook_id = d.webhook_id
                and earlier.order_key = d.order_key and earlier.sequence < d.sequence
                and earlier.status in ('pending', 'retrying')
                and (earlier.attempts < ${orderedAttempts} or earlier.lease_token is not null)))
          order by d.next_attempt_at limit a.count
          for update of d skip locked) d
        where a.count > 0
      ), claimed as (
        update webhook_deliveries d set lease_token = ${token}, attempts = d.attempts + 1
        from due where d.account_id = due.account_id and d.id = due.id
        returning d.account_id, d.id, d.webhook_id, d.event_id, d.lease_token, d.order_key, d.attempts,
          d.created_at, d.sequence
      )
      select c.account_id as "accountId", c.id, c.webhook_id as "webhookId", c.event_id as "eventId",
        c.lease_token as "leaseToken", c.order_key is not null as ordered, c.attempts as attempt, w.url, w.secret,
        w.previous_secrets as "previousSecrets", e.body
      from claimed c
      join webhooks w on w.account_id = c.account_id and w.id = c.webhook_id
      join events e on e.account_id = c.account_id and e.id = c.event_id
      order by c.created_at, c.sequence`),
  );
}

export interface FinishedAttempt {
  delivery: ClaimedDelivery;
  at: number;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  response: string | null;
  status: 'delivered' | 'retrying' | 'exhausted' | 'held';
  /** Until the next attempt; null when there is none. */
  gapMs: number | null;
}

/**
 * Writes results and log of many attempts at once. An attempt whose lease was taken away changes nothing. The token is
 * compared so that no index serves it: statistics of a quiet hour say that hardly a row is leased, and with `=` the
 * rows are then looked up by a token that thousands of them share (800 deliveries a second instead of 4,400).
 */
export async function finishAttempts(db: Db, attempts: readonly FinishedAttempt[]): Promise<void> {
  await db.transaction((tx) =>
    tx.queryAndCommit(sql`
      with result as (
        select * from unnest(
          ${attempts.map((a) => a.delivery.accountId)}::uuid[], ${attempts.map((a) => a.delivery.id)}::uuid[],
          ${attempts.map((a) => a.delivery.webhookId)}::uuid[],
          ${attempts.map((a) => a.delivery.leaseToken)}::uuid[], ${attempts.map((a) => a.at)}::bigint[],
          ${attempts.map((a) => a.durationMs)}::int[], ${attempts.map((a) => a.statusCode)}::int[],
          ${attempts.map((a) => a.error)}::text[], ${attempts.map((a) => a.response)}::text[],
          ${attempts.map((a) => a.status)}::text[], ${attempts.map((a) => a.gapMs)}::float8[]
        ) as r (account_id, id, webhook_id, lease_token, at, duration_ms, status_code, error, response, status, gap_ms)
      ), finished as (
        update webhook_deliveries d set status = r.status, lease_token = null, forced = d.forced and r.status = 'retrying',
          next_attempt_at = now() + make_interval(secs => coalesce(r.gap_ms, 0) / 1000)
        from result r
        where d.account_id = r.account_id and d.id = r.id and d.lease_token is not distinct from r.lease_token
        returning d.account_id, d.id
      ), logged as (
        insert into webhook_attempts (account_id, delivery_id, at, duration_ms, status_code, error, response)
        select r.account_id, r.id, r.at, r.duration_ms, r.status_code, r.error, r.response
        from result r join finished f on f.account_id = r.account_id and f.id = r.id
      )
      update webhooks w set healthy_at = s.at
      from (select account_id, webhook_id, max(at) as at from result where status = 'delivered' group by 1, 2) s
      where w.account_id = s.account_id and w.id = s.webhook_id and w.healthy_at < s.at - ${healthyEveryMs}`),
  );
}

/** The moment of the last success need not be exact: a minute decides nothing in 120 hours, and spares a row version. */
const healthyEveryMs = 60_000;
