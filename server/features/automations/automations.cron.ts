/** Schedules of rules, in five fields of cron. */
import type { Cron } from 'croner';
import { limits } from '../../../contract/limits.ts';
import { badRequest } from '../../platform/http/errors.ts';

/** Loaded on first use: few accounts have schedules. */
const load = async () => (await import('croner')).Cron;
/** Any two runs that follow each other in a week and a leap year's end are looked at. */
const lookedAt = 1_000;

export async function checkCron(cron: string, timeZone: string): Promise<void> {
  const parsed = await parse(cron, timeZone).catch((error: Error) => {
    throw badRequest(`trigger.cron must have five fields, such as 0 9 * * 1-5: ${error.message}`);
  });
  let last: Date | null = null;
  for (const next of parsed.nextRuns(lookedAt, new Date('2028-01-01T00:00:00Z'))) {
    if (last && next.getTime() - last.getTime() < limits.automation.cronMinutes * 60_000) {
      throw badRequest(`trigger.cron must be at least ${limits.automation.cronMinutes} minutes apart`);
    }
    last = next;
  }
  if (!last) throw badRequest('trigger.cron never comes');
}

/** The first time after `after`, in milliseconds; null: never. */
export async function nextCron(cron: string, timeZone: string, after: number): Promise<number | null> {
  const next = (await parse(cron, timeZone)).nextRun(new Date(after));
  return next ? next.getTime() : null;
}

async function parse(cron: string, timezone: string): Promise<Cron> {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) throw new Error(`it has ${fields.length}`);
  const Parser = await load();
  return new Parser(fields.join(' '), { timezone, paused: true, mode: '5-part' } as never);
}
