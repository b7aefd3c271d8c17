import type { Reader } from '../../platform/db.ts';
import { empty, sql } from '../../platform/sql.ts';
import type { Period } from './reports.period.ts';

const patient = { timeoutMs: 30_000 };

export interface Endpoint {
  endpointId: string;
  kind: 'webhook' | 'channel';
  name: string;
  url: string;
  enabled: boolean;
}

export async function selectEndpoints(
  db: Reader,
  accountId: string,
  webhookId: string | undefined,
): Promise<Endpoint[]> {
  return db.query<Endpoint>(sql`
    select w.id as "endpointId", w.kind, coalesce(c.name, w.description) as name, w.url, w.enabled
    from webhooks w left join channels c on w.kind = 'channel' and c.account_id = w.account_id and c.id = w.id
    where w.account_id = ${accountId} ${webhookId === undefined ? empty : sql`and w.id = ${webhookId}`}
    order by w.created_at, w.id`);
}

export interface HealthRow {
  /** Of an endpoint, of a bucket, or, where both are null, of all. */
  endpointId: string | null;
  bucket: number | null;
  deliveries: number;
  delivered: number;
  firstAttempt: number;
  retried: number;
  exhausted: number;
  open: number;
  attempts: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

/** Deliveries by the time of their event. An attempt without an error is a success. */
export async function measureDeliveries(
  db: Reader,
  accountId: string,
  webhookId: string | undefined,
  { starts, from, to }: Period,
): Promise<HealthRow[]> {
  return db.query<HealthRow>(
    sql`
    with wanted as (
      select d.id, d.webhook_id, d.status, width_bucket(d.created_at, ${starts}::bigint[]) as bucket
      from webhooks w join webhook_deliveries d on d.account_id = w.account_id and d.webhook_id = w.id
      where w.account_id = ${accountId} ${webhookId === undefined ? empty : sql`and w.id = ${webhookId}`}
        and d.created_at >= ${from} and d.created_at < ${to}
    ), tried as (
      select d.id, d.webhook_id, d.bucket, a.at, a.duration_ms, a.error is null as succeeded
      from wanted d join webhook_attempts a on a.account_id = ${accountId} and a.delivery_id = d.id
    ), tries as (
      select id, count(*) as attempts, min(at) as first_at, min(at) filter (where succeeded) as success_at
      from tried group by id
    ), durations as (
      select webhook_id, bucket, count(*)::int as attempts,
        percentile_disc(array[0.5, 0.95]) within group (order by duration_ms)::float8[] as ms
      from tried group by grouping sets ((webhook_id), (bucket), ())
    ), counts as (
      select d.webhook_id, d.bucket, count(*)::int as deliveries,
        (count(*) filter (where d.status = 'delivered'))::int as delivered,
        (count(*) filter (where t.success_at = t.first_at))::int as first_attempt,
        (count(*) filter (where t.attempts > 1))::int as retried,
        (count(*) filter (where d.status = 'exhausted'))::int as exhausted,
        (count(*) filter (where d.status in ('pending', 'retrying', 'held')))::int as open
      from wanted d left join tries t on t.id = d.id
      group by grouping sets ((d.webhook_id), (d.bucket), ())
    )
    select c.webhook_id as "endpointId", c.bucket, c.deliveries, c.delivered, c.first_attempt as "firstAttempt",
      c.retried, c.exhausted, c.open, coalesce(m.attempts, 0) as attempts, m.ms[1] as "p50Ms", m.ms[2] as "p95Ms"
    from counts c left join durations m
      on m.webhook_id is not distinct from c.webhook_id and m.bucket is not distinct from c.bucket`,
    patient,
  );
}

export async function findLogDays(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ webhook_log_days: number }>(
    sql`select webhook_log_days from accounts where id = ${accountId}`,
  );
  return row!.webhook_log_days;
}
