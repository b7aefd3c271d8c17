/**
 * The delivery worker. It claims ahead, sends fairly, and counts a call as running until its result is committed, so
 * that a crash repeats no more than these.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { onDeliveries } from '../../platform/events/outbox.ts';
import { renewWithPulse, watchWork } from '../../platform/jobs/due-work.ts';
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
import { giveBack, hasAbandoned, hasHoldable, holdForDisabled } from './webhooks.leases.sql.ts';
import { Leases } from './webhooks.leases.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
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
const stopWithinMs = 10_000;

export async function startDeliverer(deps: DelivererDeps): Promise<{ stop(): Promise<void> }> {
  const { db, logger, onAttempt = () => {} } = deps;
  const attemptDeps = { ...deps, keys: new EndpointKeys(deps.secrets) };
  const queue = new FairQueue();
  const leases = new Leases(db);
  const underWay = new Set<Promise<void>>();
  const results = new Results({ db, logger, underWay: () => underWay.size });
  let stopping = false;
  let claiming: Promise<void> | null = null;
  let claimAgain = false;
  let tidying: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | undefined;
  let foundNothing = false;

  const claim = () => {
    claimAgain = true;
    claiming ??= claimWhileAsked().finally(() => {
      claiming = null;
    });
  };

  const claimWhileAsked = async () => {
    while (claimAgain && leases.good && !stopping) {
      claimAgain = false;
      try {
        const token = await leases.token();
        const claimed = await claimDeliveries(db, token, queue.budgets(), queue.budgetOfOthers);
        foundNothing = claimed.length === 0;
        // Nothing is sent for a token that was lost meanwhile: others may have claimed it by now.
        for (const delivery of claimed) if (leases.hold(delivery)) queue.add(delivery);
        send();
      } catch (error) {
        leases.retire();
        logger.warn({ err: error }, 'claiming webhook deliveries failed; retrying at the next look');
      }
    }
  };

  const send = () => {
    while (leases.good && !stopping) {
      const delivery = queue.next();
      if (!delivery) return;
      const work: Promise<void> = deliver(delivery).then(
        () => finish(work, delivery),
        (error) => {
          logger.error({ err: error }, 'a webhook delivery failed unexpectedly');
          finish(work, delivery);
        },
      );
      underWay.add(work);
    }
  };

  const finish = (work: Promise<void>, delivery: ClaimedDelivery) => {
    underWay.delete(work);
    leases.release(delivery);
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
        claim();
      },
      foundNothing ? gatherWhenIdleMs : gatherMs,
    );
  };

  let isRenewed = true;
  const beginRenewal = () => {
    const { statement, renewed } = leases.renewal();
    return {
      statement,
      renewed(rows: { token: string }[]) {
        isRenewed = true;
        const lost = renewed(rows);
        // Before anything may be sent again.
        if (lost.size > 0) queue.takeWaiting(lost);
        queue.forgetIdle();
        send();
        if (!stopping && leases.mayJudge) tidy();
      },
      failed(error: unknown) {
        if (isRenewed) logger.warn({ err: error }, 'renewing the delivery lease failed; retrying');
        isRenewed = false;
      },
    };
  };

  const onReclaimError = (error: unknown) =>
    logger.warn({ err: error }, 'reclaiming abandoned deliveries failed');
  /** The renewal does not wait for it: a dead process may have left a long list. */
  const tidy = () => {
    tidying ??= leases
      .tidy()
      .catch(onReclaimError)
      .finally(() => {
        tidying = null;
      });
  };

  await leases.token();
  const reclaiming = runWhenDue<boolean>(db, {
    look: { name: 'vanished delivery workers', value: hasAbandoned },
    isDue: (isAny) => isAny,
    async run() {
      await leases.takeOver();
      return false;
    },
    onError: onReclaimError,
    everyMs: lookEveryMs,
  });
  const holding = runWhenDue<boolean>(db, {
    look: { name: 'deliveries to hold', value: hasHoldable, isRare: true },
    isDue: (isAny) => isAny,
    async run() {
      if (leases.good) await holdForDisabled(db, heldAtATime);
      return false;
    },
    onError: (error) => logger.warn({ err: error }, 'holding deliveries of disabled endpoints failed'),
    everyMs: lookEveryMs,
  });
  const forgetWake = onDeliveries(db, wake);
  const forgetDue = watchWork<boolean>(db, {
    look: { name: 'webhook deliveries', value: hasOpenDeliveries },
    isDue: (isFound) => isFound,
    wake: claim,
  });
  const endRenewal = renewWithPulse(db, beginRenewal);
  claim();

  return {
    /** Releases what has not started and waits for the rest. */
    async stop() {
      stopping = true;
      forgetWake();
      clearTimeout(gathering);
      await Promise.all([forgetDue(), reclaiming.stop(), holding.stop()]);
      await claiming;
      await giveBack(db, queue.takeWaiting()).catch(() => {});
      // A hanging endpoint must not delay the stop: unfinished deliveries are sent again by the next claim.
      await Promise.race([Promise.allSettled([...underWay]), delay(stopWithinMs, undefined, { ref: false })]);
      await endRenewal();
      await tidying;
      await results.settle();
      await leases.end().catch(() => {});
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
