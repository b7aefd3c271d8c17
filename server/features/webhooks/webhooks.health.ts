/** Endpoints that are gone or have been failing for long are disabled, with the reason where people look. */
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db.ts';
import { audit, systemActor } from '../accounts/accounts.ts';
import { disableEndpoint, type FinishedAttempt, findHealthyAt } from './webhooks.queue.sql.ts';
import { unhealthyAfterMs } from './webhooks.schedule.ts';
import { holdDeliveries } from './webhooks.settings.sql.ts';

export async function checkEndpointHealth(
  { db, clock }: { db: Db; clock: Clock },
  { statusCode, delivery }: FinishedAttempt,
): Promise<void> {
  const { accountId, webhookId } = delivery;
  const now = clock.now();
  let reason: string;
  if (statusCode === 410) reason = 'the endpoint answered 410 Gone';
  else {
    const healthyAt = await findHealthyAt(db, accountId, webhookId);
    if (healthyAt === null || now - healthyAt < unhealthyAfterMs) return;
    reason = 'no delivery succeeded for 120 hours';
  }
  await db.transaction(async (tx) => {
    if (!(await disableEndpoint(tx, accountId, webhookId, reason, now))) return;
    await holdDeliveries(tx, accountId, webhookId);
    await audit(tx, systemActor(accountId), now, {
      action: 'webhook.disabled',
      target: { type: 'webhook', id: webhookId },
      changes: { enabled: { from: true, to: false }, reason },
    });
  });
}
