import { useMemo } from 'react';
import type { ReportPeriod } from '../../../contract/reports.ts';
import { language } from '../texts/texts.ts';
import { bucketLabels } from './report-format.ts';

interface Bucketed {
  period: ReportPeriod;
  buckets: { from: number; to: number }[];
}
const none = { ticks: [] as string[], titles: [] as string[] };

/** The names of a report's buckets. The same as long as the report is, so that the chart is not drawn anew. */
export function useBuckets(data: Bucketed | undefined): typeof none {
  const spoken = language();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language names them otherwise
  return useMemo(() => (data ? bucketLabels(data.buckets, data.period.bucket) : none), [data, spoken]);
}
