/** How deliveries fare: for each endpoint, and over time. */
import type { WebhookReportQuery, WebhooksReport } from '../../../contract/reports.ts';
import type { Reader } from '../../platform/db.ts';
import { isId } from '../../platform/ids.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import { findLogDays, type HealthRow, measureDeliveries, selectEndpoints } from './reports.webhooks.sql.ts';

const dayMs = 86_400_000;

export async function reportWebhooks(
  db: Reader,
  accountId: string,
  { webhookId }: Pick<WebhookReportQuery, 'webhookId'>,
  period: Period,
  now: number,
): Promise<WebhooksReport> {
  const keptSince = now - (await findLogDays(db, accountId)) * dayMs;
  const nothing = webhookId !== undefined && !isId(webhookId);
  const known = nothing ? [] : await selectEndpoints(db, accountId, webhookId);
  const rows = nothing ? [] : await measureDeliveries(db, accountId, webhookId, period);
  const ofEndpoint = new Map(rows.map((row) => [row.endpointId, row]));
  const ofBucket = new Map(rows.map((row) => [row.bucket, row]));
  const all = rows.find((row) => row.endpointId === null && row.bucket === null);
  return {
    period: toReportPeriod(period),
    keptSince,
    total: healthOf(all),
    endpoints: known
      .map((endpoint) => ({ ...endpoint, ...healthOf(ofEndpoint.get(endpoint.endpointId)) }))
      // A channel is an endpoint even without an address for its messages.
      .filter(({ url, deliveries }) => url !== '' || deliveries > 0)
      .sort((a, b) => b.deliveries - a.deliveries),
    buckets: eachBucket(period, (bucket) => healthOf(ofBucket.get(bucket))),
  };
}

function healthOf(row: HealthRow | undefined): WebhooksReport['total'] {
  if (!row) {
    const none = {
      deliveries: 0,
      delivered: 0,
      firstAttempt: 0,
      retried: 0,
      exhausted: 0,
      open: 0,
      attempts: 0,
    };
    return { ...none, p50Ms: null, p95Ms: null };
  }
  const { endpointId, bucket, ...health } = row;
  return health;
}
