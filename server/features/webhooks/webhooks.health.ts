/** Disables endpoints that are gone or have been failing for long, with the reason for people. */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { audit, systemActor } from '../accounts/accounts.ts';
import { disableEndpoint, type EndpointId, selectFailingEndpoints } from './webhooks.health.sql.ts';
import type { FinishedAttempt } from './webhooks.queue.sql.ts';
import { unhealthyAfterMs } from './webhooks.schedule.ts';
import { holdDeliveries } from './webhooks.settings.sql.ts';

export async function checkEndpointHealth(
  { db, clock }: { db: Db; clock: Clock },
  { statusCode, delivery }: FinishedAttempt,
): Promise<void> {
  const now = clock.now();
  if (statusCode === 410) await disable(db, delivery, now, 'the endpoint answered 410 Gone');
  else await disableFailing(db, now, delivery);
}

/**
 * The rule has two conditions, and either may become true last: an event is exhausted after 75 to 90 hours, and an
 * endpoint with few events would stay enabled forever if only that moment counted. So housekeeping checks too.
 */
export async function disableFailing(db: Db, now: number, only?: EndpointId): Promise<void> {
  const since = now - unhealthyAfterMs;
  for (const endpoint of await selectFailingEndpoints(db, since, only)) {
    await disable(db, endpoint, now, 'no delivery succeeded for 120 hours', since);
  }
}

async function disable(
  db: Db,
  endpoint: EndpointId,
  now: number,
  reason: string,
  healthyUntil = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const { accountId, webhookId } = endpoint;
  await db.transaction(async (tx) => {
    if (!(await disableEndpoint(tx, endpoint, now, reason, healthyUntil))) return;
    await holdDeliveries(tx, accountId, webhookId);
    await audit(tx, systemActor(accountId), now, {
      action: 'webhook.disabled',
      target: { type: 'webhook', id: webhookId },
      changes: { enabled: { from: true, to: false }, reason },
    });
  });
}
