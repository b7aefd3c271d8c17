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
