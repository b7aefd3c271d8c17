/** Delivery statistics: for each endpoint, and over time. */
import type { WebhookReportQuery, WebhooksReport } from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import { isId } from '../../platform/ids.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import {
  countDeliveries,
  type DeliveryRow,
  type DurationsRow,
  findLogDays,
  readDurations,
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
        readDurations(db, accountId, webhookId, period),
      ]);
  const sorted = sortedDurations(durations);
  const health = (
    belongs: (row: { endpointId: string; bucket: number }) => boolean,
    ms: Int32Array | undefined,
  ) => healthOf(rows.filter(belongs), ms);
  return {
    period: toReportPeriod(period),
    keptSince,
    total: health(() => true, sorted.all),
    endpoints: known
      .map((endpoint) => ({
        ...endpoint,
        ...health(
          (row) => row.endpointId === endpoint.endpointId,
          sorted.byEndpoint.get(endpoint.endpointId),
        ),
      }))
      // A channel is an endpoint even without a webhook address.
      .filter(({ url, deliveries }) => url !== '' || deliveries > 0)
      .sort((a, b) => b.deliveries - a.deliveries),
    buckets: eachBucket(period, (bucket) =>
      health((row) => row.bucket === bucket, sorted.byBucket.get(bucket)),
    ),
  };
}

function sortedDurations(rows: readonly DurationsRow[]) {
  const parsed = rows.map(({ endpointId, bucket, ms }) => ({
    endpointId,
    bucket,
    ms: JSON.parse(`[${ms.slice(1, -1)}]`) as number[],
  }));
  const sort = (of: typeof parsed) => Int32Array.from(of.flatMap(({ ms }) => ms)).sort();
  const sortEach = <K>(keyOf: (row: (typeof parsed)[number]) => K) =>
    new Map([...Map.groupBy(parsed, keyOf)].map(([key, of]) => [key, sort(of)]));
  return {
    all: sort(parsed),
    byEndpoint: sortEach(({ endpointId }) => endpointId),
    byBucket: sortEach(({ bucket }) => bucket),
  };
}

/** The smallest value that at least this share of all does not exceed; null: there is none. */
const percentile = (sorted: Int32Array | undefined, share: number): number | null =>
  sorted?.[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;

function healthOf(rows: readonly DeliveryRow[], durations: Int32Array | undefined): WebhooksReport['total'] {
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
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  };
}
