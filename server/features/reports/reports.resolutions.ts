/** How long conversations take until they are resolved, and how many are reopened. */
import type { ResolutionsReport } from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import type { ConversationFilter } from './reports.conversations.sql.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import { measureResolutions, type ResolutionRow } from './reports.resolutions.sql.ts';

export async function reportResolutions(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<ResolutionsReport> {
  const rows = await measureResolutions(db, accountId, filter, period);
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  return {
    period: toReportPeriod(period),
    total: figuresOf(byBucket.get(null)),
    buckets: eachBucket(period, (bucket) => figuresOf(byBucket.get(bucket))),
  };
}

function figuresOf(row: ResolutionRow | undefined): ResolutionsReport['total'] {
  const { resolved = 0, reopened = 0, byCustomer = 0, times } = row ?? {};
  return {
    resolved,
    medianMs: times?.[0] ?? null,
    p90Ms: times?.[1] ?? null,
    reopened,
    reopenedByCustomer: byCustomer,
    reopenRate: resolved === 0 ? null : reopened / resolved,
  };
}
