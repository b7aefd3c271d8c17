/**
 * The delivery worker. It claims ahead, sends fairly, and counts a call as running until its result is committed, so
 * that a crash repeats no more than these.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { onDeliveries } from '../../platform/events/outbox.ts';
import { rowOfProcess } from '../../platform/jobs/due-work.ts';
import { createClaims, type LeasedTable } from '../../platform/jobs/leases.ts';
import { runWhenDue } from '../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { inSpan } from '../../platform/telemetry/tracing.ts';
import type { SendInside } from './inbox/webhook-inbox.ts';
import { EndpointKeys } from './signing/webhooks.keys.ts';
import { attempt } from './webhooks.attempt.ts';
import { FairQueue } from './webhooks.fair-queue.ts';
import { checkEndpointHealth } from './webhooks.health.ts';
import { hasHoldable, holdForDisabled } from './webhooks.hold.sql.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  deliveryTable,
  type FinishedAttempt,
  hasOpenDeliveries,
} from './webhooks.queue.sql.ts';
import { Results } from './webhooks.results.ts';

export interface DelivererDeps {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  safeFetch: SafeFetch;
  logger: Logger;
  /** Handles what is for the service itself; null for every other address. */
  deliverLocally?: SendInside;
  onAttempt?: (status: FinishedAttempt['status'], durationMs: number) => void;
}

/** A burst of events causes one claim, not one each. */
const gatherMs = 5;
/** After a claim that found nothing: most events are for no endpoint, and a claim costs as much as two creates. */
const gatherWhenIdleMs = 40;
const lookEveryMs = 500;
const heldAtATime = 5_000;
const afterErrorMs = 250;
const stopWithinMs = 10_000;

export function startDeliverer(deps: DelivererDeps): { leased: LeasedTable; stop(): Promise<void> } {
  const { db, logger, onAttempt = () => {} } = deps;
  const attemptDeps = { ...deps, keys: new EndpointKeys(deps.secrets) };
  const queue = new FairQueue();
  const claims = createClaims<ClaimedDelivery>(db, deliveryTable);
  const process = rowOfProcess(db);
  const underWay = new Map<ClaimedDelivery, Promise<void>>();
  const results = new Results({ db, logger, underWay: () => underWay.size });
  let stopping = false;
  let gathering: NodeJS.Timeout | undefined;
  let foundNothing = false;

  const claim = async () => {
    if (stopping) return false;
    queue.forgetIdle();
    // What has waited since a freeze, or an outage of the database.
    send();
    if (!process.isGood) return false;
    const { rows } = await claims.claim((token) =>
      claimDeliveries(db, token, queue.budgets(), queue.budgetOfOthers),
    );
    foundNothing = rows.length === 0;
    for (const delivery of rows) queue.add(delivery);
    send();
    return false;
  };

  const send = () => {
    while (process.isGood && !stopping) {
      const delivery = queue.next();
      if (!delivery) return;
      // The lease was lost meanwhile: others may have claimed it by now.
      if (delivery.leaseToken !== process.id) {
        claims.end(delivery);
        queue.done(delivery);
        continue;
      }
      const work = deliver(delivery).then(
        () => finish(delivery),
        (error) => {
          logger.error({ err: error }, 'a webhook delivery failed unexpectedly');
          finish(delivery, true);
        },
      );
      underWay.set(delivery, work);
    }
  };

  const finish = (delivery: ClaimedDelivery, isInDoubt = false) => {
    underWay.delete(delivery);
    claims.end(delivery, isInDoubt);
    const runsLow = queue.done(delivery);
    // The next message of a session can be claimed only now.
    if (runsLow || delivery.ordered) wake();
    send();
  };

  const deliver = async (delivery: ClaimedDelivery) => {
    const finished = await inSpan(spanOf(delivery), async (span) => {
      const made = await attempt(attemptDeps, delivery);
      span.set({ 'talkboard.delivery.status': made.status });
      if (made.status !== 'delivered') span.fail(String(made.statusCode ?? 'unreachable'));
      return made;
    });
    onAttempt(finished.status, finished.durationMs);
    await results.write(finished);
    if (finished.status === 'held' || finished.status === 'exhausted') {
      await checkEndpointHealth(deps, finished).catch((error) =>
        logger.warn({ err: error }, 'endpoint check failed'),
      );
    }
  };

  const wake = () => {
    gathering ??= setTimeout(
      () => {
        gathering = undefined;
        loop.wake();
      },
      foundNothing ? gatherWhenIdleMs : gatherMs,
    );
  };

  const loop = runWhenDue<boolean>(db, {
    look: { name: 'webhook deliveries', value: hasOpenDeliveries },
    isDue: (isFound) => isFound || claims.isInDoubt,
    run: claim,
    onError: (error) =>
      logger.warn({ err: error }, 'claiming webhook deliveries failed; retrying at the next look'),
    everyMs: 0,
    afterErrorMs,
    async settle() {
      await claims.giveUp([...underWay.keys()]);
      // A hanging endpoint must not delay the stop: unfinished deliveries are sent again by the next claim.
      await Promise.race([Promise.all(underWay.values()), delay(stopWithinMs, undefined, { ref: false })]);
      await results.settle();
      await claims.giveUp();
    },
  });
  const holding = runWhenDue<boolean>(db, {
    look: { name: 'deliveries to hold', value: hasHoldable, isRare: true },
    isDue: (isAny) => isAny,
    async run() {
      await holdForDisabled(db, heldAtATime);
      return false;
    },
    onError: (error) => logger.warn({ err: error }, 'holding deliveries of disabled endpoints failed'),
    everyMs: lookEveryMs,
  });
  const forgetWake = onDeliveries(db, wake);

  return {
    leased: deliveryTable,
    /** Releases what has not started and waits for the rest. */
    async stop() {
      stopping = true;
      forgetWake();
      clearTimeout(gathering);
      await Promise.all([loop.stop(), holding.stop()]);
    },
  };
}

const spanOf = ({ id, accountId, webhookId, eventId, attempt: count, traceparent }: ClaimedDelivery) => ({
  name: 'deliver webhook',
  kind: 'consumer' as const,
  attributes: {
    'talkboard.delivery.id': id,
    'talkboard.delivery.attempt': count,
    'talkboard.account.id': accountId,
    'talkboard.webhook.id': webhookId,
    'talkboard.event.id': eventId,
  },
  parent: traceparent,
});
