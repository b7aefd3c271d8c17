/** What a user wants to be notified of, on which channels, and when not. */
import { type NotificationTopic, notificationTopics } from '../../../contract/notifications.ts';
import {
  defaultNotificationSettings,
  type NotificationSettings,
  type NotificationSettingsUpdate,
  type NotificationWays,
} from '../../../contract/realtime.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { findTimeZone, minutesOfDay } from '../../platform/time-zone.ts';
import { findSettings, lockUser, upsertSettings } from './realtime.notifications.sql.ts';

/** Settings stored by a release with fewer topics are filled up with defaults. */
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
  // Two simultaneous changes of different parts must both be kept.
  await lockUser(tx, accountId, userId);
  const before = wholeSettings(await findSettings(tx, accountId, userId));
  const topics = { ...before.topics };
  for (const topic of notificationTopics) topics[topic] = { ...topics[topic], ...change.topics?.[topic] };
  const quietHours = { ...before.quietHours, ...change.quietHours };
  if (!findTimeZone(quietHours.timeZone)) {
    throw badRequest('quietHours.timeZone must be the name of a time zone, such as Europe/Lisbon');
  }
  const after = { topics, quietHours };
  await upsertSettings(tx, accountId, userId, after, now);
  return after;
}

/** Quiet hours silence push and sound; the list in the page stays complete. */
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

/**
 * From the first minute to before the last; over midnight if it ends before it begins, all day if both are the same.
 */
export function isQuiet(
  { enabled, from, to, timeZone }: NotificationSettings['quietHours'],
  now: number,
): boolean {
  const zone = enabled ? findTimeZone(timeZone) : null;
  if (!zone) return false;
  const at = minutesOfDay(zone, now);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start < end ? at >= start && at < end : at >= start || at < end;
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
