/** Where the hours, days, weeks and months of a time zone begin. */
import type { ReportBucket } from '../../../contract/reports.ts';
import type { ClockSegment } from '../../platform/time-zone.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Where buckets begin, in order, between the start of the first segment and `to`. An hour that the clock shows twice
 * is two buckets; a day begins when its date is first shown, even at one o'clock if midnight was skipped.
 */
export function bucketStarts(segments: readonly ClockSegment[], to: number, bucket: ReportBucket): number[] {
  const step = bucket === 'hour' ? hourMs : dayMs;
  const starts: number[] = [];
  let reached = -Infinity;
  for (const [index, { from, offset }] of segments.entries()) {
    const end = segments[index + 1]?.from ?? to;
    if (bucket === 'hour' || index === 0) reached = from + offset;
    if (bucket === 'hour') starts.push(from);
    for (let local = Math.ceil(reached / step) * step; local < end + offset; local += step) {
      const at = Math.max(from, local - offset);
      if (begins(bucket, local) && at > (starts.at(-1) ?? -Infinity)) starts.push(at);
    }
    reached = Math.max(reached, end + offset);
  }
  return starts;
}

function begins(bucket: ReportBucket, local: number): boolean {
  const day = new Date(local);
  if (bucket === 'week') return day.getUTCDay() === 1;
  return bucket === 'month' ? day.getUTCDate() === 1 : true;
}
