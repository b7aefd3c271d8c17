/** Retention: the log for as long as the account says, held events for 30 days, and nothing that is undelivered. */
import type { Db } from '../../platform/db.ts';
import { deleteExpiredHeld, deleteOldDeliveries, deleteOldEvents } from './webhooks.prune.sql.ts';
import { heldForMs } from './webhooks.schedule.ts';

/** Small bites: a large delete would hold its locks, and the worker, for minutes. */
const rowsAtATime = 5_000;

export async function pruneWebhooks(db: Db, now: number): Promise<void> {
  for (const bite of [
    () => db.transaction((tx) => deleteExpiredHeld(tx, now - heldForMs, rowsAtATime)),
    () => db.transaction((tx) => deleteOldDeliveries(tx, now, rowsAtATime)),
    () => db.transaction((tx) => deleteOldEvents(tx, now, rowsAtATime)),
  ]) {
    while ((await bite()) === rowsAtATime);
  }
}
