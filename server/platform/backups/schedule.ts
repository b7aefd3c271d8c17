/** BACKUP_SCHEDULE, in UTC. */
export interface Schedule {
  everyMs: number;
  /** Of the first one since 1970. */
  offsetMs: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** 1970-01-01 was a Thursday. */
const days = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'];

/** `03:15` each day, `sun 03:15` each week, `6h` every six hours. */
export function parseSchedule(value: string): Schedule {
  const text = value.toLowerCase();
  const hours = Number(/^(\d{1,2})h$/.exec(text)?.[1] ?? 0);
  if (hours > 0 && 24 % hours === 0) return { everyMs: hours * hourMs, offsetMs: 0 };
  const [, day, hour = '', minute = ''] = /^(?:([a-z]{3}) +)?([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  const index = day === undefined ? 0 : days.indexOf(day);
  if (hour === '' || index < 0) {
    throw new Error(
      `must be a time in UTC such as 03:15, a day and a time such as "sun 03:15", or 1h, 2h, 3h, 4h, 6h, 8h, 12h, not "${value}"`,
    );
  }
  const inDay = Number(hour) * hourMs + Number(minute) * 60_000;
  return { everyMs: day === undefined ? dayMs : 7 * dayMs, offsetMs: index * dayMs + inDay };
}

/** When the last one was due. */
export function lastDue({ everyMs, offsetMs }: Schedule, now: number): number {
  return Math.floor((now - offsetMs) / everyMs) * everyMs + offsetMs;
}

export function nextDue(schedule: Schedule, now: number): number {
  return lastDue(schedule, now) + schedule.everyMs;
}

/** Since when a good one is missing, the last good one being of `goodAt`; null: none is. The first one is due at once. */
export function lateSince(
  schedule: Schedule,
  { goodAt, startedAt, now }: { goodAt: number | null; startedAt: number; now: number },
): number | null {
  if (goodAt === null) return startedAt;
  return goodAt >= lastDue(schedule, now) ? null : nextDue(schedule, goodAt);
}
