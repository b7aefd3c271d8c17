/** Background work for live updates. */
import { liveLimits } from '../../../contract/realtime.ts';
import type { Db } from '../../platform/db/db.ts';
import { pruneLog } from './realtime.log.sql.ts';
import { pruneNotifications } from './realtime.notifications.sql.ts';

export { startNotifier } from './notifier/realtime.notifier.ts';
export { reminderHandler } from './notifier/realtime.reminders.ts';
export { pushHandler, pushJobKind } from './realtime.push.ts';

const notificationsForMs = 30 * 24 * 3_600_000;

export async function pruneLive(db: Db, now: number): Promise<void> {
  await pruneLog(db, liveLimits.keptMinutes);
  await pruneNotifications(db, now - notificationsForMs);
}
