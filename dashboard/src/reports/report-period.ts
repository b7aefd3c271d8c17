/** From a chosen period to moments: days begin at the reader's midnight, and the last one ends now. */
import type { ReportBucket, ReportPeriod } from '../../../contract/reports.ts';
import type { ReportSearch } from './report-search.ts';

export interface Span {
  period: ReportPeriod;
  /** As long, directly before, and cut off at the same time of day: half a day is not compared with a whole one. */
  before: ReportPeriod;
  /** The buckets that make at most `maxBuckets`. */
  buckets: ReportBucket[];
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bucketMs: { [bucket in ReportBucket]: number } = {
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 28 * dayMs,
};
/** More than this cannot be read, and the service gives at most 750. */
const maxBuckets = 744;

const midnight = (at: number, days = 0) => {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
};
/** The same time of day, so many days or months earlier; by the calendar, since days of 23 hours exist. */
const earlier = (at: number, { days = 0, months = 0 }) => {
  const date = new Date(at);
  const moved = new Date(date);
  moved.setDate(1);
  moved.setMonth(date.getMonth() - months);
  const last = new Date(moved.getFullYear(), moved.getMonth() + 1, 0).getDate();
  moved.setDate(Math.min(date.getDate(), last) - days);
  return moved.getTime();
};

export const dayText = (at: number) => {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};
const dayAt = (text: string, days = 0) => {
  const [year, month, day] = text.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, day + days).getTime();
};

const ownTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whole minutes, the running one included, so that a reload within it asks for the same. */
const thisMinute = (now: number) => Math.ceil((now + 1) / 60_000) * 60_000;

export function spanOf(search: ReportSearch, now: number, timeZone = ownTimeZone()): Span {
  const to = thisMinute(now);
  const { from, end, length, usual } = chosen(search, now, to);
  const buckets = (Object.keys(bucketMs) as ReportBucket[]).filter(
    (bucket) =>
      (end - from) / bucketMs[bucket] <= maxBuckets && (bucket === 'hour' || end - from > bucketMs[bucket]),
  );
  const bucket = search.bucket && buckets.includes(search.bucket) ? search.bucket : usual;
  const rest = { bucket, timeZone };
  return {
    period: { from, to: end, ...rest },
    before: { from: earlier(from, length), to: earlier(end, length), ...rest },
    buckets: buckets.includes(bucket) ? buckets : [...buckets, bucket],
  };
}

function chosen(search: ReportSearch, now: number, to: number) {
  const lastDays = (days: number, usual: ReportBucket) => ({
    from: midnight(now, 1 - days),
    end: to,
    length: { days },
    usual,
  });
  switch (search.period) {
    case 'today':
      return lastDays(1, 'hour');
    case '7d':
      return lastDays(7, 'day');
    case '90d':
      return lastDays(90, 'week');
    case '12m': {
      const date = new Date(now);
      const from = new Date(date.getFullYear(), date.getMonth() - 11, 1).getTime();
      return { from, end: to, length: { months: 12 }, usual: 'month' as const };
    }
    case 'custom': {
      const from = dayAt(search.from!);
      const whole = dayAt(search.to!, 1);
      const days = Math.round((whole - from) / dayMs);
      const usual: ReportBucket = days <= 2 ? 'hour' : days <= 62 ? 'day' : days <= 366 ? 'week' : 'month';
      return { from, end: from < to ? Math.min(whole, to) : whole, length: { days }, usual };
    }
    default:
      return lastDays(30, 'day');
  }
}
