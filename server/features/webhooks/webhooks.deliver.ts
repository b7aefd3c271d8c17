/**
 * The deliverer. It claims ahead, sends at most 4 at a time to one endpoint and 64 in all, and counts a call as being
 * under way until its result is committed, so that a crash repeats no more than these. Results are written in
 * batches: while one batch commits, the next gathers.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db.ts';
import type { Logger } from '../../platform/logger.ts';
import { onDeliveries } from '../../platform/outbox.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { attempt } from './webhooks.attempt.ts';
import { checkEndpointHealth } from './webhooks.health.ts';
import {
  type Budget,
  type ClaimedDelivery,
  claimDeliveries,
  type FinishedAttempt,
  finishAttempts,
  giveBack,
  keepAlive,
  signOff,
  signOn,
} from './webhooks.queue.sql.ts';

export interface DelivererDeps {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  safeFetch: SafeFetch;
  logger: Logger;
  onAttempt?: (status: FinishedAttempt['status'], durationMs: number) => void;
}

const perEndpoint = 4;
const inAll = 64;
const aheadAtFirst = 16;
const aheadAtMost = 200;
/** A queue that is worked off within this is claimed twice as far ahead the next time, a slower one as at first. */
const quickMs = 500;
const pollMs = 100;
/** A burst of events makes one claim, not one each. */
const gatherMs = 5;
const renewMs = 1_000;
const aliveMs = 3_000;
const resultsAtATime = 500;
const retryResultsMs = 100;
const stopWithinMs = 10_000;

/** With the token it was claimed by: a result counts only while the lease is still that one. */
type Claimed = ClaimedDelivery & { token: string };

interface Endpoint {
  queue: Claimed[];
  inFlight: number;
  ahead: number;
  claimedAt: number;
}

export async function startDeliverer(deps: DelivererDeps): Promise<{ stop(): Promise<void> }> {
  const { db, logger, onAttempt = () => {} } = deps;
  const endpoints = new Map<string, Endpoint>();
  const results: { finished: FinishedAttempt; token: string; done: () => void }[] = [];
  const underWay = new Set<Promise<void>>();
  let token = randomUUID();
  let inFlight = 0;
  let stopping = false;
  let claiming = false;
  let claimAgain = false;
  let flushing = false;
  let gathering: NodeJS.Timeout | undefined;

  const budgets = (): Budget[] =>
    [...endpoints].map(([webhookId, { queue, inFlight: sending, ahead }]) => ({
      webhookId,
      count: Math.max(0, ahead - queue.length - sending),
    }));

  const claim = async () => {
    if (claiming) {
      claimAgain = true;
      return;
    }
    claiming = true;
    try {
      do {
        claimAgain = false;
        if (stopping) break;
        const mine = token;
        const claimed = await claimDeliveries(db, mine, budgets(), aheadAtFirst);
        for (const delivery of claimed) enqueue({ ...delivery, token: mine });
        send();
      } while (claimAgain);
    } catch (error) {
      logger.warn({ err: error }, 'claiming webhook deliveries failed; trying again at the next poll');
    } finally {
      claiming = false;
    }
  };

  const enqueue = (delivery: Claimed) => {
    let endpoint = endpoints.get(delivery.webhookId);
    if (!endpoint) {
      endpoint = { queue: [], inFlight: 0, ahead: aheadAtFirst, claimedAt: 0 };
      endpoints.set(delivery.webhookId, endpoint);
    }
    if (endpoint.queue.length === 0) endpoint.claimedAt = performance.now();
    endpoint.queue.push(delivery);
  };

  /** Round robin over the endpoints: each sends one before any sends its next. */
  const send = () => {
    let sent = true;
    while (sent && inFlight < inAll && !stopping) {
      sent = false;
      for (const [id, endpoint] of endpoints) {
        if (inFlight >= inAll) break;
        if (endpoint.inFlight >= perEndpoint) continue;
        const delivery = endpoint.queue.shift();
        if (!delivery) continue;
        sent = true;
        endpoint.inFlight++;
        inFlight++;
        const work = deliver(delivery).finally(() => {
          underWay.delete(work);
          endpoint.inFlight--;
          inFlight--;
          if (endpoint.queue.length === 0) afterQueue(id, endpoint);
          send();
        });
        underWay.add(work);
      }
    }
  };

  const afterQueue = (id: string, endpoint: Endpoint) => {
    const quick = performance.now() - endpoint.claimedAt < quickMs;
    endpoint.ahead = quick ? Math.min(aheadAtMost, endpoint.ahead * 2) : aheadAtFirst;
    if (endpoint.inFlight === 0 && !quick) endpoints.delete(id);
    wake();
  };

  const deliver = async (delivery: Claimed) => {
    const finished = await attempt(deps, delivery);
    onAttempt(finished.status, finished.durationMs);
    await new Promise<void>((done) => {
      results.push({ finished, token: delivery.token, done });
      void flush();
    });
    if (finished.status === 'held' || finished.status === 'exhausted') {
      await checkEndpointHealth(deps, finished).catch((error) =>
        logger.warn({ err: error }, 'endpoint check failed'),
      );
    }
  };

  const flush = async () => {
    if (flushing) return;
    flushing = true;
    while (results.length > 0) {
      const batch = results.splice(0, resultsAtATime);
      try {
        for (const [owner, group] of Map.groupBy(batch, (result) => result.token)) {
          await finishAttempts(
            db,
            owner,
            group.map((result) => result.finished),
          );
        }
        for (const { done } of batch) done();
      } catch (error) {
        // Kept and tried again: dropping a result would mean sending the event once more.
        logger.warn({ err: error, count: batch.length }, 'writing webhook results failed; trying again');
        results.unshift(...batch);
        await delay(retryResultsMs);
      }
    }
    flushing = false;
  };

  const wake = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void claim();
    }, gatherMs);
  };

  const beat = async () => {
    try {
      if (await keepAlive(db, token, aliveMs)) return;
      // Taken for dead, for example after the machine slept: what waits here belongs to others now.
      for (const endpoint of endpoints.values()) endpoint.queue.length = 0;
      token = randomUUID();
      await signOn(db, token, aliveMs);
    } catch (error) {
      logger.warn({ err: error }, 'renewing the deliverer failed');
    }
  };

  await signOn(db, token, aliveMs);
  const forgetWake = onDeliveries(wake);
  const poll = setInterval(() => void claim(), pollMs);
  const renewal = setInterval(() => void beat(), renewMs);
  void claim();

  return {
    /** Gives back what it has not begun and waits for what it has. */
    async stop() {
      stopping = true;
      forgetWake();
      clearTimeout(gathering);
      clearInterval(poll);
      const waiting = [...endpoints.values()].flatMap((endpoint) => endpoint.queue.splice(0));
      await giveBack(
        db,
        token,
        waiting.map((delivery) => delivery.id),
      ).catch(() => {});
      // A hanging endpoint may not hold up the stop: what is not finished is sent again by whoever claims it next.
      await Promise.race([Promise.allSettled([...underWay]), delay(stopWithinMs, undefined, { ref: false })]);
      clearInterval(renewal);
      await signOff(db, token).catch(() => {});
    },
  };
}
