/**
 * Retention: the log as configured by the account, held events for at least 30 days, and undelivered ones forever.
 */
import type { WebhookSettings, WebhookSettingsUpdate } from '../../../contract/webhooks.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { deleteOldEvents } from '../../platform/events/erase-events.ts';
import {
  type Actor,
  audit,
  differences,
  findWebhookLogDays,
  setWebhookLogDays,
} from '../accounts/accounts.ts';
import { heldForMs } from './webhooks.schedule.ts';

/** Small chunks: a large delete would hold its locks, and the worker, for minutes. */
const rowsAtATime = 5_000;

export async function pruneWebhooks(db: Db, now: number, atATime = rowsAtATime): Promise<void> {
  for (;;) {
    const deleted = await db.transaction((tx) => deleteOldEvents(tx, now, now - heldForMs, atATime));
    if (deleted < atATime) return;
  }
}

export async function readSettings(db: Reader, accountId: string): Promise<WebhookSettings> {
  return { logDays: await findWebhookLogDays(db, accountId) };
}

export async function changeSettings(
  tx: Tx,
  actor: Actor,
  now: number,
  change: WebhookSettingsUpdate,
): Promise<WebhookSettings> {
  const before = await readSettings(tx, actor.accountId);
  const after = { ...before, ...change };
  await setWebhookLogDays(tx, actor.accountId, after.logDays);
  await audit(tx, actor, now, {
    action: 'webhook_settings.updated',
    target: { type: 'account', id: actor.accountId },
    changes: differences(before, after),
  });
  return after;
}
