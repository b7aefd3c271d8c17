/** Where the hours, days, weeks and months of a time zone begin. */
import type { ReportBucket } from '../../../contract/reports.ts';
import type { TimeZone } from '../../platform/time-zone.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** From `from` on the local clock is `offset` ahead of UTC. */
export interface ClockSegment {
  from: number;
  offset: number;
}

/** Searched week by week: since 1970 no zone has changed its clock twice within one. */
export function clockSegments(zone: TimeZone, from: number, to: number): ClockSegment[] {
  const segments = [{ from, offset: zone.offsetAt(from) }];
  for (let at = from; at < to; at += weekMs) {
    const next = Math.min(at + weekMs, to);
    const before = segments.at(-1)!.offset;
    const after = zone.offsetAt(next);
    if (after === before) continue;
    let [last, first] = [at, next];
    while (first - last > 1) {
      const middle = Math.floor((last + first) / 2);
      if (zone.offsetAt(middle) === before) last = middle;
      else first = middle;
    }
    segments.push({ from: first, offset: after });
  }
  return segments;
}

export function offsetIn(segments: readonly ClockSegment[], at: number): number {
  return (segments.findLast((segment) => segment.from <= at) ?? segments[0]!).offset;
}

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
