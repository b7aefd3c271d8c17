/** The times that snoozing offers, by the reader's clock. */
export type SnoozeName = 'later' | 'tomorrow' | 'nextWeek' | 'customer';

export interface SnoozeTime {
  name: SnoozeName;
  /** Null: until the customer writes. */
  until: number | null;
}

const laterHours = 3;
const lastHour = 21;
const morning = 9;

export function snoozeTimes(now: Date): SnoozeTime[] {
  const later = new Date(now);
  later.setHours(
    now.getHours() + laterHours,
    now.getMinutes() > 30 ? 60 : now.getMinutes() > 0 ? 30 : 0,
    0,
    0,
  );
  const isToday = later.getDate() === now.getDate() && later.getHours() < lastHour;
  const tomorrow = morningIn(now, 1);
  const nextWeek = morningIn(now, (8 - now.getDay()) % 7 || 7);
  return [
    ...(isToday ? [{ name: 'later', until: later.getTime() } as const] : []),
    { name: 'tomorrow', until: tomorrow },
    ...(nextWeek === tomorrow ? [] : [{ name: 'nextWeek', until: nextWeek } as const]),
    { name: 'customer', until: null },
  ];
}

function morningIn(now: Date, days: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning).getTime();
}

/** As a field for date and time has it: local, to the minute. */
export function localMinute(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
