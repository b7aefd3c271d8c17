/** How customers rated resolved conversations. */
import type { SatisfactionReport } from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import type { ConversationFilter } from './reports.conversations.sql.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import { measureSatisfaction, type SatisfactionRow } from './reports.satisfaction.sql.ts';

export async function reportSatisfaction(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<SatisfactionReport> {
  const rows = await measureSatisfaction(db, accountId, filter, period);
  const ofPart = (part: SatisfactionRow['part']) => rows.filter((row) => row.part === part);
  const byBucket = new Map(ofPart('bucket').map((row) => [row.bucket, row]));
  const mostFirst = (a: { count: number }, b: { count: number }) => b.count - a.count;
  return {
    period: toReportPeriod(period),
    total: figuresOf(ofPart('total')[0]),
    operators: ofPart('operator')
      .map((row) => ({ userId: row.id, name: row.name, ...figuresOf(row) }))
      .sort(mostFirst),
    channels: ofPart('channel')
      .map((row) => ({ channelId: row.id!, name: row.name!, type: row.type!, ...figuresOf(row) }))
      .sort(mostFirst),
    buckets: eachBucket(period, (bucket) => figuresOf(byBucket.get(bucket))),
  };
}

function figuresOf(row: SatisfactionRow | undefined): SatisfactionReport['total'] {
  const distribution = row?.distribution ?? [0, 0, 0, 0, 0];
  const count = distribution.reduce((sum, one) => sum + one, 0);
  const sum = distribution.reduce((total, one, index) => total + one * (index + 1), 0);
  return { count, average: count === 0 ? null : sum / count, distribution };
}
