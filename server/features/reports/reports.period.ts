/** Validates the query of a report and splits its period into buckets. */
import { type ReportBucket, type ReportPeriod, reportLimits } from '../../../contract/reports.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { type ClockSegment, clockSegments, findTimeZone, offsetIn } from '../../platform/time-zone.ts';
import { bucketStarts } from './reports.zone.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** No bucket of these is shorter, also when clocks change. */
const shortest: { [bucket in ReportBucket]: number } = {
  hour: hourMs,
  day: 22 * hourMs,
  week: 6 * dayMs,
  month: 27 * dayMs,
};

export interface Period extends ReportPeriod {
  /** The first is `from`; each bucket ends where the next begins, the last one at `to`. */
  starts: number[];
  clock: ClockSegment[];
}

export interface PeriodQuery {
  from?: number;
  to?: number;
  bucket?: ReportBucket;
  timeZone?: string;
}

export function checkPeriod(query: PeriodQuery, now: number): Period {
  const { timeZone = 'UTC', to = now } = query;
  const from = query.from ?? Math.max(1, to - reportLimits.defaultDays * dayMs);
  // "+03:00" is a zone for newer engines, but not the name of one.
  const zone = /^[A-Za-z]/.test(timeZone) ? findTimeZone(timeZone) : null;
  if (!zone) throw badRequest('timeZone must be the IANA name of a time zone, such as America/Sao_Paulo');
  if (from >= to) throw badRequest('from must be before to');
  const bucket = query.bucket ?? usualBucket(to - from);
  const tooMany = () =>
    badRequest(
      `the period has more than ${reportLimits.buckets} buckets of one ${bucket}: shorten it or choose a longer bucket`,
    );
  if (to - from > (reportLimits.buckets + 1) * shortest[bucket] * 1.2) throw tooMany();
  const clock = clockSegments(zone, from, to);
  const starts = [from, ...bucketStarts(clock, to, bucket).filter((start) => start > from && start < to)];
  if (starts.length > reportLimits.buckets) throw tooMany();
  return { from, to, bucket, timeZone, starts, clock };
}

function usualBucket(length: number): ReportBucket {
  if (length <= 2 * dayMs) return 'hour';
  if (length <= 92 * dayMs) return 'day';
  return length <= 731 * dayMs ? 'week' : 'month';
}

export function toReportPeriod({ from, to, bucket, timeZone }: Period): ReportPeriod {
  return { from, to, bucket, timeZone };
}

/** One row per bucket; `figures` gets the number of the bucket, from 1, as width_bucket counts. */
export function eachBucket<T extends object>(
  { starts, to }: Period,
  figures: (bucket: number) => T,
): ({ from: number; to: number } & T)[] {
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? to, ...figures(index + 1) }));
}

const hoursOfWeek = 168;
/** 1970 began on a Thursday: Monday's first hour was 72 hours before. */
const hoursIntoFirstWeek = 72;

const cellOf = (local: number) => (Math.floor(local / hourMs) + hoursIntoFirstWeek) % hoursOfWeek;

/** How many hours of the period fall on each hour of the week, Monday's first hour first. */
export function hoursPerCell({ from, to, clock }: Period): number[] {
  const milliseconds = new Array<number>(hoursOfWeek).fill(0);
  for (const [index, segment] of clock.entries()) {
    const begin = Math.max(from, segment.from) + segment.offset;
    const end = Math.min(to, clock[index + 1]?.from ?? to) + segment.offset;
    for (let local = begin; local < end; ) {
      const next = Math.min(end, (Math.floor(local / hourMs) + 1) * hourMs);
      milliseconds[cellOf(local)]! += next - local;
      local = next;
    }
  }
  return milliseconds.map((sum) => sum / hourMs);
}

/** Formatted with the zone's own offset, so that a reader sees local time. */
export function isoTime({ clock }: Period, at: number): string {
  const minutes = Math.round(offsetIn(clock, at) / 60_000);
  const local = new Date(at + minutes * 60_000).toISOString().slice(0, -1).replace('.000', '');
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
