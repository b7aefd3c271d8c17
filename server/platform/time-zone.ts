/** Time zones: the offset from UTC at a moment, and local times. */
import { limits } from '../../contract/limits.ts';

export interface TimeZone {
  /** Its canonical name, however it was spelt. */
  readonly name: string;
  /** Milliseconds that its clocks are ahead of UTC. */
  offsetAt(moment: number): number;
}

/** There are some hundred zones, but a name may be spelt in any case. */
const kept = 1_000;
const zones = new Map<string, TimeZone>();

/** Null: there is no such zone. Creating one takes half a millisecond, so they are cached. */
export function findTimeZone(name: string): TimeZone | null {
  const known = zones.get(name);
  if (known) return known;
  if (name.length > limits.timeZoneLength) return null;
  const zone = makeZone(name);
  if (!zone) return null;
  if (zones.size >= kept) zones.clear();
  zones.set(name, zone);
  return zone;
}

function makeZone(timeZone: string): TimeZone | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const name = format.resolvedOptions().timeZone;
    return { name, offsetAt: name === 'UTC' ? () => 0 : (moment) => offsetAt(format, moment) };
  } catch {
    return null;
  }
}

/** Reads "11/15/2026, 10:30:00", which is three times as fast as formatToParts. */
function offsetAt(format: Intl.DateTimeFormat, moment: number): number {
  const [month, day, year, hour, minute, second] = format.format(moment).match(/\d+/g)!.map(Number);
  const shown = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
  return shown - Math.floor(moment / 1000) * 1000;
}

/** The moment at which clocks of the zone show what UTC would show at `shown`. */
export function momentOf(zone: TimeZone, shown: number): number {
  const guess = shown - zone.offsetAt(shown);
  // The offset at the guess is correct except within the hour of a change.
  return shown - zone.offsetAt(guess);
}

const dayMinutes = 1_440;

/** Since the last midnight in this zone, by its clocks. */
export function minutesOfDay(zone: TimeZone, moment: number): number {
  const minutes = Math.floor((moment + zone.offsetAt(moment)) / 60_000) % dayMinutes;
  return minutes < 0 ? minutes + dayMinutes : minutes;
}

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

/** A stretch of time in which the clocks of a zone do not change. */
export interface ClockStretch {
  offset: number;
  /** Exclusive. Beyond it the offset may be the same. */
  to: number;
}

/** About a year, so that a stretch is found by a division. */
const eraMs = 52 * weekMs;
const erasKept = 5_000;
const eras = new WeakMap<TimeZone, Map<number, ClockSegment[]>>();

/** Asking the zone takes 2 microseconds, and finding its changes in a year 60 times that: both are cached. */
export function clockAt(zone: TimeZone, at: number): ClockStretch {
  const era = Math.floor(at / eraMs);
  let known = eras.get(zone);
  if (!known || known.size >= erasKept) {
    known = new Map();
    eras.set(zone, known);
  }
  let segments = known.get(era);
  if (!segments) {
    segments = clockSegments(zone, era * eraMs, (era + 1) * eraMs);
    known.set(era, segments);
  }
  let index = segments.length - 1;
  while (index > 0 && segments[index]!.from > at) index--;
  return { offset: segments[index]!.offset, to: segments[index + 1]?.from ?? (era + 1) * eraMs };
}
