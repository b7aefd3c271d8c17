/** What a person wants to be told, by which ways, and when not. */
import { type NotificationTopic, notificationTopics } from '../../../contract/notifications.ts';
import {
  defaultNotificationSettings,
  type NotificationSettings,
  type NotificationSettingsUpdate,
  type NotificationWays,
} from '../../../contract/realtime.ts';
import type { Tx } from '../../platform/db.ts';
import { badRequest } from '../../platform/errors.ts';
import { findSettings, lockUser, upsertSettings } from './realtime.notifications.sql.ts';

/** What was stored by a release that knew fewer topics is filled up. */
export function wholeSettings(stored: Partial<NotificationSettings> | null): NotificationSettings {
  const { topics, quietHours } = defaultNotificationSettings;
  return { topics: { ...topics, ...stored?.topics }, quietHours: { ...quietHours, ...stored?.quietHours } };
}

export async function changeSettings(
  tx: Tx,
  { accountId, id: userId }: { accountId: string; id: string },
  now: number,
  change: NotificationSettingsUpdate,
): Promise<NotificationSettings> {
  // Two changes of different parts at once must both stay.
  await lockUser(tx, accountId, userId);
  const before = wholeSettings(await findSettings(tx, accountId, userId));
  const topics = { ...before.topics };
  for (const topic of notificationTopics) topics[topic] = { ...topics[topic], ...change.topics?.[topic] };
  const quietHours = { ...before.quietHours, ...change.quietHours };
  if (minutesIn(quietHours.timeZone, now) === null) {
    throw badRequest('quietHours.timeZone must be the name of a time zone, such as Europe/Lisbon');
  }
  const after = { topics, quietHours };
  await upsertSettings(tx, accountId, userId, after, now);
  return after;
}

/** Quiet hours silence the telephone and the loudspeaker; the list in the page stays complete. */
export function waysFor(
  stored: Partial<NotificationSettings> | null,
  topic: NotificationTopic,
  now: number,
): NotificationWays {
  const { topics, quietHours } = wholeSettings(stored);
  const { page, push, sound } = topics[topic];
  const quiet = isQuiet(quietHours, now);
  return { page, push: push && !quiet, sound: page && sound && !quiet };
}

/** From the first minute to before the last; over midnight where it ends before it begins, all day where both are one. */
export function isQuiet(
  { enabled, from, to, timeZone }: NotificationSettings['quietHours'],
  now: number,
): boolean {
  const at = enabled ? minutesIn(timeZone, now) : null;
  if (at === null) return false;
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start < end ? at >= start && at < end : at >= start || at < end;
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Minutes since midnight there; null: no such time zone. */
function minutesIn(timeZone: string, now: number): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
    return minutesOf(format.format(now));
  } catch {
    return null;
  }
}
