/** BACKUP_KEEP: which backups stay. */
export interface Keep {
  last: number;
  days: number;
  weeks: number;
  months: number;
}

const form = /^(?:(\d{1,4})|(?=\d)(?:(\d{1,4})d)?(?:(\d{1,4})w)?(?:(\d{1,4})m)?)$/;

/** `14`: the last 14. `7d4w6m`: the newest of each of the last 7 days, 4 weeks and 6 months that have one. */
export function parseKeep(value: string): Keep {
  const found = form.exec(value.replaceAll(/[\s,]/g, ''));
  const [last, days, weeks, months] = (found ?? []).slice(1).map((part) => Number(part ?? 0));
  if (!found || last! + days! + weeks! + months! === 0) {
    throw new Error(
      `must be a number of backups such as 14, or days, weeks and months such as 7d4w6m, not "${value}"`,
    );
  }
  return { last: last!, days: days!, weeks: weeks!, months: months! };
}

const dayMs = 86_400_000;
/** 1970-01-05 was a Monday. */
const weekOf = (time: number) => Math.floor((time - 4 * dayMs) / (7 * dayMs));

/** Those that go, of one cell. The newest always stays. */
export function chooseRemoved<T extends { createdAt: number }>(backups: readonly T[], keep: Keep): T[] {
  const newestFirst = backups.toSorted((a, b) => b.createdAt - a.createdAt);
  const kept = new Set<T>(newestFirst.slice(0, Math.max(1, keep.last)));
  const keepNewestOf = (count: number, periodOf: (time: number) => number | string) => {
    const newest = new Map<number | string, T>();
    for (const one of newestFirst) {
      const period = periodOf(one.createdAt);
      if (!newest.has(period)) newest.set(period, one);
    }
    for (const one of [...newest.values()].slice(0, count)) kept.add(one);
  };
  keepNewestOf(keep.days, (time) => Math.floor(time / dayMs));
  keepNewestOf(keep.weeks, weekOf);
  keepNewestOf(keep.months, (time) => new Date(time).toISOString().slice(0, 7));
  return newestFirst.filter((one) => !kept.has(one));
}
