import type { Db } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import type { Period } from './reports.period.ts';
import { queryReport, readInOneMoment } from './reports.query.sql.ts';

export interface Endpoint {
  endpointId: string;
  kind: 'webhook' | 'channel';
  name: string;
  url: string;
  enabled: boolean;
}

export async function selectEndpoints(
  db: Db,
  accountId: string,
  webhookId: string | undefined,
): Promise<Endpoint[]> {
  return db.query<Endpoint>(sql`
    select w.id as "endpointId", w.kind, coalesce(c.name, w.description) as name, w.url, w.enabled
    from webhooks w left join channels c on w.kind = 'channel' and c.account_id = w.account_id and c.id = w.id
    where w.account_id = ${accountId} ${webhookId === undefined ? empty : sql`and w.id = ${webhookId}`}
    order by w.created_at, w.id`);
}

export interface DeliveryRow {
  endpointId: string;
  bucket: number;
  deliveries: number;
  delivered: number;
  firstAttempt: number;
  retried: number;
  exhausted: number;
  open: number;
  attempts: number;
}

function wanted(accountId: string, webhookId: string | undefined, { from, to }: Period): Sql {
  return sql`d.account_id = ${accountId} ${webhookId === undefined ? empty : sql`and d.webhook_id = ${webhookId}`}
    and d.created_at >= ${from} and d.created_at < ${to}`;
}

/**
 * Deliveries by the time of their event. An attempt without an error is a success; none is made before its event. One
 * attempt is in the delivery's row, the others in webhook_attempts.
 */
export async function countDeliveries(
  db: Db,
  accountId: string,
  webhookId: string | undefined,
  period: Period,
): Promise<DeliveryRow[]> {
  return queryReport<DeliveryRow>(
    db,
    sql`
    with tries as (
      select delivery_id, count(*)::int as attempts, min(at) as first_at, min(at) filter (where error is null) as success_at
      from webhook_attempts where account_id = ${accountId} and at >= ${period.from} group by delivery_id
    )
    select d.webhook_id as "endpointId", width_bucket(d.created_at, ${period.starts}::bigint[]) as bucket,
      count(*)::int as deliveries, (count(*) filter (where d.status = 'delivered'))::int as delivered,
      (count(*) filter (
        where least(case when d.attempt_error is null then d.attempt_at end, t.success_at) = least(d.attempt_at, t.first_at)
      ))::int as "firstAttempt",
      (count(*) filter (where t.attempts + (d.attempt_at is not null)::int > 1))::int as retried,
      (count(*) filter (where d.status = 'exhausted'))::int as exhausted,
      (count(*) filter (where d.status in ('pending', 'retrying', 'held')))::int as open,
      (count(d.attempt_at) + coalesce(sum(t.attempts), 0))::int as attempts
    from webhook_deliveries d left join tries t on t.delivery_id = d.id
    where ${wanted(accountId, webhookId, period)}
    group by 1, 2`,
  );
}

export interface DurationsRow {
  endpointId: string;
  bucket: number;
  /** Durations in no order, each at most twice: "{120,95}". */
  ms: string;
  /** How many attempts took as long: "{3,1}". */
  attempts: string;
}

/**
 * How many attempts took how long, for `use`, which is part of the report's turn: it has work to do. Sorting every attempt
 * here, for percentiles by endpoint and by bucket, takes longer than counting them.
 */
export async function readDurations<T>(
  db: Db,
  accountId: string,
  webhookId: string | undefined,
  period: Period,
  use: (rows: DurationsRow[]) => T,
): Promise<T> {
  return readInOneMoment(
    db,
    async (read) =>
      use(
        await read<DurationsRow>(sql`
          select "endpointId", bucket, array_agg(ms)::text as ms, array_agg(attempts)::text as attempts from (
            select d.webhook_id as "endpointId", width_bucket(d.created_at, ${period.starts}::bigint[]) as bucket,
              d.attempt_ms as ms, count(*) as attempts
            from webhook_deliveries d
            where ${wanted(accountId, webhookId, period)} and d.attempt_at is not null
            group by 1, 2, 3
            union all
            select d.webhook_id, width_bucket(d.created_at, ${period.starts}::bigint[]), a.duration_ms, count(*)
            from webhook_deliveries d join webhook_attempts a on a.account_id = d.account_id and a.delivery_id = d.id
            where ${wanted(accountId, webhookId, period)} and a.at >= ${period.from}
            group by 1, 2, 3) t
          group by 1, 2`),
      ),
    { sorting: false },
  );
}

export async function findLogDays(db: Db, accountId: string): Promise<number> {
  const [row] = await db.query<{ webhook_log_days: number }>(
    sql`select webhook_log_days from accounts where id = ${accountId}`,
  );
  return row!.webhook_log_days;
}
