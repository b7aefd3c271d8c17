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
  const [rows, took] = nothing
    ? [[], percentilesOf([])]
    : await Promise.all([
        countDeliveries(db, accountId, webhookId, period),
        readDurations(db, accountId, webhookId, period, percentilesOf),
      ]);
  const health = (
    belongs: (row: { endpointId: string; bucket: number }) => boolean,
    percentiles: Percentiles | undefined,
  ) => healthOf(rows.filter(belongs), percentiles);
  return {
    period: toReportPeriod(period),
    keptSince,
    total: health(() => true, took.all),
    endpoints: known
      .map((endpoint) => ({
        ...endpoint,
        ...health((row) => row.endpointId === endpoint.endpointId, took.byEndpoint.get(endpoint.endpointId)),
      }))
      // A channel is an endpoint even without a webhook address.
      .filter(({ url, deliveries }) => url !== '' || deliveries > 0)
      .sort((a, b) => b.deliveries - a.deliveries),
    buckets: eachBucket(period, (bucket) =>
      health((row) => row.bucket === bucket, took.byBucket.get(bucket)),
    ),
  };
}

type Percentiles = Pick<WebhooksReport['total'], 'p50Ms' | 'p95Ms'>;

interface Durations {
  ms: readonly number[];
  attempts: readonly number[];
}

function percentilesOf(rows: readonly DurationsRow[]) {
  const parse = (array: string) => JSON.parse(`[${array.slice(1, -1)}]`) as number[];
  const parsed = rows.map((row) => ({ ...row, ms: parse(row.ms), attempts: parse(row.attempts) }));
  const each = <K>(keyOf: (row: (typeof parsed)[number]) => K) =>
    new Map([...Map.groupBy(parsed, keyOf)].map(([key, of]) => [key, percentilesOfAll(of)]));
  return {
    all: percentilesOfAll(parsed),
    byEndpoint: each(({ endpointId }) => endpointId),
    byBucket: each(({ bucket }) => bucket),
  };
}

function percentilesOfAll(parts: readonly Durations[]): Percentiles {
  const counts = new Map<number, number>();
  let total = 0;
  for (const { ms, attempts } of parts) {
    ms.forEach((one, i) => {
      counts.set(one, (counts.get(one) ?? 0) + attempts[i]!);
      total += attempts[i]!;
    });
  }
  const sorted = Int32Array.from(counts.keys()).sort();
  /** The smallest one that at least this share of all does not exceed; null: there is none. */
  const percentile = (share: number): number | null => {
    let rank = 0;
    for (const ms of sorted) {
      rank += counts.get(ms)!;
      if (rank >= share * total) return ms;
    }
    return null;
  };
  return { p50Ms: percentile(0.5), p95Ms: percentile(0.95) };
}

function healthOf(
  rows: readonly DeliveryRow[],
  percentiles: Percentiles = { p50Ms: null, p95Ms: null },
): WebhooksReport['total'] {
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
    ...percentiles,
  };
}
