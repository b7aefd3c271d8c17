/** Buckets, durations and shares by the reader's locale. */
import type { ReportBucket } from '../../../contract/reports.ts';
import { money, number } from '../texts/format.ts';
import { locale } from '../texts/texts.ts';

const dates = new Map<string, Intl.DateTimeFormat>();
function dateFormat(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${name}`;
  let format = dates.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale(), options);
    dates.set(key, format);
  }
  return format;
}
const dayOfYear = { day: 'numeric', month: 'short' } as const;
const clock = { hour: '2-digit', minute: '2-digit' } as const;

interface Times {
  from: number;
  to: number;
}

/** Short, for the axis. */
function bucketTick({ from }: Times, bucket: ReportBucket, isOneDay: boolean): string {
  if (bucket === 'hour')
    return isOneDay
      ? dateFormat('clock', clock).format(from)
      : dateFormat('day clock', { weekday: 'short', hour: '2-digit' }).format(from);
  if (bucket === 'month') return dateFormat('month', { month: 'short', year: '2-digit' }).format(from);
  return dateFormat('day', dayOfYear).format(from);
}

/** Whole, for tips and tables. */
function bucketTitle({ from, to }: Times, bucket: ReportBucket): string {
  if (bucket === 'hour')
    return dateFormat('hour long', { weekday: 'short', ...dayOfYear, ...clock }).format(from);
  if (bucket === 'day')
    return dateFormat('day long', { weekday: 'short', ...dayOfYear, year: 'numeric' }).format(from);
  if (bucket === 'month') return dateFormat('month long', { month: 'long', year: 'numeric' }).format(from);
  return dateFormat('week', { ...dayOfYear, year: 'numeric' }).formatRange(from, to - 1);
}

export function bucketLabels(buckets: readonly Times[], bucket: ReportBucket) {
  const isOneDay = (buckets.at(-1)?.to ?? 0) - (buckets[0]?.from ?? 0) <= 26 * 3_600_000;
  return {
    ticks: buckets.map((one) => bucketTick(one, bucket, isOneDay)),
    titles: buckets.map((one) => bucketTitle(one, bucket)),
  };
}

export const periodText = ({ from, to }: Times) =>
  dateFormat('week', { ...dayOfYear, year: 'numeric' }).formatRange(from, to - 1);

/** 1 is Monday. The first of 2024 was one. */
export const weekdayName = (weekday: number, width: 'short' | 'long') =>
  dateFormat(`weekday ${width}`, { weekday: width, timeZone: 'UTC' }).format(Date.UTC(2024, 0, weekday));
export const hourName = (hour: number) =>
  dateFormat('hour', { ...clock, timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1, hour));

const units = new Map<string, Intl.NumberFormat>();
function unit(value: number, name: 'millisecond' | 'second' | 'minute' | 'hour' | 'day', digits = 0): string {
  const key = `${locale()} ${name} ${digits}`;
  let format = units.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale(), {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    });
    units.set(key, format);
  }
  return format.format(value);
}

const steps = [
  { name: 'day', size: 86_400 },
  { name: 'hour', size: 3_600 },
  { name: 'minute', size: 60 },
  { name: 'second', size: 1 },
] as const;

/** Two units at most: 40ms, 2.1s, 7m 20s, 1h 12m, 3d 4h. */
export function duration(ms: number): string {
  if (ms < 1_000) return unit(Math.round(ms), 'millisecond');
  if (ms < 9_950) return unit(ms / 1_000, 'second', 1);
  const seconds = Math.round(ms / 1_000);
  const at = steps.findIndex(({ size }) => seconds >= size);
  const [big, small] = [steps[at]!, steps[at + 1]];
  if (!small) return unit(seconds, big.name);
  // Rounded before it is split: 59.9 minutes are an hour, not "0h 60m".
  const rounded = Math.round(seconds / small.size) * small.size;
  const rest = Math.round((rounded % big.size) / small.size);
  const first = unit(Math.floor(rounded / big.size), big.name);
  return rest > 0 ? `${first} ${unit(rest, small.name)}` : first;
}

export const durationOrNone = (ms: number | null) => (ms === null ? '–' : duration(ms));

export const seconds = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : ms / 1_000;

const percents = new Map<string, Intl.NumberFormat>();
function percent(value: number, digits: number): string {
  const key = `${locale()} ${digits}`;
  let format = percents.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: digits });
    percents.set(key, format);
  }
  return format.format(value);
}
export const share = (value: number) => percent(value, 1);
export const roundShare = (value: number) => percent(value, 0);
/** A reply costs less than a cent. */
export const dollars = (value: number) =>
  value === 0 || value >= 1 ? money(value, 'USD') : smallDollars(value);
function smallDollars(value: number): string {
  const key = `${locale()} dollars`;
  let format = units.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale(), {
      style: 'currency',
      currency: 'USD',
      maximumSignificantDigits: 2,
    });
    units.set(key, format);
  }
  return format.format(value);
}
export const average = (value: number) => number(Math.round(value * 10) / 10);
