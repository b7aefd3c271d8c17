/** When a wait ends. */
import type { RuleStep } from '../../../contract/automation/steps.ts';
import type { BusinessHours } from '../../../contract/business-hours.ts';
import type { Tx } from '../../platform/db/db.ts';
import { hoursOf, nextOpening } from '../business-hours/business-hours.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { momentOfDate } from './automations.dates.ts';
import type { RunRow } from './automations.runs.sql.ts';
import { findFieldValue, findHoursPlace } from './automations.subjects.sql.ts';

const minuteMs = 60_000;

/** Null: never, because the field is empty or the hours never open. */
export async function waitEnd(
  tx: Tx,
  accountId: string,
  config: AccountConfig,
  { sessionId, recordId }: Pick<RunRow, 'sessionId' | 'recordId'>,
  { minutes, until, hoursId, at, timeZone }: RuleStep,
  now: number,
): Promise<number | null> {
  if (minutes !== undefined) return now + minutes * minuteMs;
  if (until === 'next_opening') {
    return nextOpening(await hoursFor(tx, accountId, config, sessionId, hoursId ?? true), now);
  }
  if (until === undefined || recordId === null) return null;
  return momentOfDate(await findFieldValue(tx, accountId, recordId, until), at, timeZone);
}

/** `which`: the id of hours; true: those of the conversation, or else the account's. */
export async function hoursFor(
  tx: Pick<Tx, 'query'>,
  accountId: string,
  { directory }: Pick<AccountConfig, 'directory'>,
  sessionId: string | null,
  which: string | boolean,
): Promise<BusinessHours> {
  const { hours, channels } = directory;
  const named = typeof which === 'string' ? hours.byId.get(which) : undefined;
  if (named) return named;
  const place = sessionId === null ? null : await findHoursPlace(tx, accountId, sessionId);
  if (!place) return hours.byDefault;
  return hoursOf(hours, { teamId: place.teamId, hoursId: channels.get(place.channelId)?.hoursId ?? null });
}
