/** Delivery statistics: for each endpoint, and over time. */
import type { WebhookReportQuery, WebhooksReport } from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import { isId } from '../../platform/ids.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import {
  countDeliveries,
  type DeliveryRow,
  type DurationRow,
  findLogDays,
  measureAttempts,
  selectEndpoints,
} from './reports.webhooks.sql.ts';

const dayMs = 86_400_000;

export async function reportWebhooks(
  db: Db,
  accountId: string,
  { webhookId }: Pick<WebhookReportQuery, 'webhookId'>,
  period: Period,
  now: number,
): Promise<WebhooksReport> {
  const keptSince = now - (await findLogDays(db, accountId)) * dayMs;
  const nothing = webhookId !== undefined && !isId(webhookId);
  const known = nothing ? [] : await selectEndpoints(db, accountId, webhookId);
  const [rows, durations] = nothing
    ? [[], []]
    : await Promise.all([
        countDeliveries(db, accountId, webhookId, period),
        measureAttempts(db, accountId, webhookId, period),
      ]);
  const health = (
    belongs: (row: { endpointId: string | null; bucket: number | null }) => boolean,
    ms?: DurationRow,
  ) => healthOf(rows.filter(belongs), ms);
  const durationOf = (endpointId: string | null, bucket: number | null) =>
    durations.find((row) => row.endpointId === endpointId && row.bucket === bucket);
  return {
    period: toReportPeriod(period),
    keptSince,
    total: health(() => true, durationOf(null, null)),
    endpoints: known
      .map((endpoint) => ({
        ...endpoint,
        ...health((row) => row.endpointId === endpoint.endpointId, durationOf(endpoint.endpointId, null)),
      }))
      // A channel is an endpoint even without a webhook address.
      .filter(({ url, deliveries }) => url !== '' || deliveries > 0)
      .sort((a, b) => b.deliveries - a.deliveries),
    buckets: eachBucket(period, (bucket) => health((row) => row.bucket === bucket, durationOf(null, bucket))),
  };
}

function healthOf(rows: readonly DeliveryRow[], duration: DurationRow | undefined): WebhooksReport['total'] {
  const sum = (figure: Exclude<keyof DeliveryRow, 'endpointId' | 'bucket'>) =>
    rows.reduce((total, row) => total + row[figure], 0);
  return {
    deliveries: sum('deliveries'),
    delivered: sum('delivered'),
    firstAttempt: sum('firstAttempt'),
    retried: sum('retried'),
    exhausted: sum('exhausted'),
    open: sum('open'),
    attempts: sum('attempts'),
    p50Ms: duration?.ms?.[0] ?? null,
    p95Ms: duration?.ms?.[1] ?? null,
  };
}
