/**
 * The worker of a customer's items: one after the other, in a job for each customer of a channel. Customers do not wait
 * for each other, and one channel has only a share of the places, so that a slow one leaves some to the others.
 */
import { createSemaphore, type Turns } from '../../../platform/concurrency/semaphore.ts';
import { createSharedStatement } from '../../../platform/concurrency/shared-statements.ts';
import { AppError, isTemporary } from '../../../platform/http/errors.ts';
import { backoffMs } from '../../../platform/jobs/backoff.ts';
import {
  countWakes,
  type Job,
  type JobHandler,
  JobPostponed,
  JobReleased,
  LeaseLost,
} from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import { inSpan } from '../../../platform/telemetry/tracing.ts';
import type { OpenLink } from '../connectors.links.ts';
import { ProviderError } from '../connectors.provider.ts';
import { type ApplyDeps, applyChange, isBlocked } from './connectors.apply.ts';
import { applyIdentity, joinBlocked } from './connectors.identity.ts';
import {
  countAttempt,
  findContent,
  finishItems,
  type Lane,
  type ListedItem,
  type Outcome,
  selectWaiting,
  type WaitingItem,
} from './connectors.items.sql.ts';
import { AlreadyDone, storeMessage } from './connectors.store.ts';

export interface ProcessDeps extends ApplyDeps {
  logger: Logger;
}

/** Of the places of a process. */
const maxPerChannel = 12;
export const itemsAtOnce = 32;
/** Random, so that the jobs of a busy channel do not come back together. */
const busyMs = () => 1_000 + Math.random() * 1_000;
/** Until credentials are replaced or the channel is enabled, which makes the job run at once. */
const closedMs = 60_000;
const maxAttempts = 8;
/** Items may hold whole files: so much of a customer is in memory, and of larger items so many in a process. */
const readAtOnce = 10;
const bytesAtOnce = 4 * 1024 * 1024;
const largeAtOnce = 2;
/** Of customers whose jobs begin together: one read for them, with as many bytes as for one. */
const lanesAtOnce = 16;
const readWaiting = createSharedStatement(lanesAtOnce, (db, lanes: readonly Lane[]) =>
  selectWaiting(db, lanes, readAtOnce, Math.floor(bytesAtOnce / lanes.length)),
);

export function itemsHandler(deps: ProcessDeps): JobHandler {
  const running = new Map<string, number>();
  const large = createSemaphore(largeAtOnce);
  return async (job) => {
    const { channelId, customer } = job.payload as { channelId: string; customer: string };
    const busy = running.get(channelId) ?? 0;
    if (busy >= maxPerChannel) throw new JobPostponed(busyMs());
    running.set(channelId, busy + 1);
    try {
      await work(deps, large, job, { accountId: job.accountId, channelId, customer });
    } finally {
      const left = running.get(channelId)! - 1;
      if (left > 0) running.set(channelId, left);
      else running.delete(channelId);
    }
  };
}

async function work(deps: ProcessDeps, large: Turns, job: Job, lane: Lane): Promise<void> {
  const { db } = deps;
  let wakes = job.wakes;
  for (;;) {
    let { items, hasMore } = await readWaiting(db, lane);
    for (;;) {
      for (const item of inOrder(items)) {
        if (job.isStopping()) throw new JobReleased('the service is stopping');
        if (item.item !== null) await processItem(deps, lane, item as WaitingItem);
        else await large.take(() => processLarge(deps, lane, item));
      }
      // What came meanwhile has woken the job.
      if (!hasMore) break;
      ({ items, hasMore } = await readWaiting(db, lane));
    }
    if (await job.completeUnlessWoken(wakes)) return;
    // Woken meanwhile, unless the lease was lost: then it throws.
    await db.transaction((tx) => job.keep(tx));
    wakes = await countWakes(db, job);
  }
}

async function processLarge(deps: ProcessDeps, lane: Lane, listed: ListedItem): Promise<void> {
  const item = await findContent(deps.db, lane.accountId, listed.id);
  if (item !== null) await processItem(deps, lane, { ...listed, item });
}

/**
 * Who the customer is comes first, then messages in the provider's order, then what changes them: an edit may come before
 * its message.
 */
function inOrder(items: ListedItem[]): ListedItem[] {
  const rank = ({ type, place }: ListedItem) => {
    if (type === 'identity') return -1;
    return type === 'message' ? (place ?? 0) : Number.MAX_VALUE;
  };
  return items.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

async function processItem(deps: ProcessDeps, lane: Lane, item: WaitingItem): Promise<void> {
  const opened = await deps.links.open(lane.accountId, lane.channelId);
  // Without its connector the item is gone too.
  if (!opened) throw new JobPostponed(closedMs);
  if (!opened.isEnabled) throw new JobPostponed(closedMs);
  if (item.kind !== null && item.kind !== opened.provider.kind) return dropForeign(deps, lane, item);
  try {
    await inSpan(spanOf(lane, item), async () => {
      if (item.type === 'message') await storeMessage(deps, lane, opened, item);
      else if (item.type === 'identity') await applyIdentity(deps, lane, opened, item);
      else await applyChange(deps, lane, opened, item);
    });
  } catch (error) {
    await settle(deps, lane, opened, item, error);
  }
}

/** In the trace of the provider's request, if it has one; a job has items of several. */
const spanOf = ({ accountId, channelId }: Lane, { id, type, kind, attempts, traceparent }: WaitingItem) => ({
  name: `receive ${type}`,
  kind: 'consumer' as const,
  attributes: {
    'talkboard.item.id': id,
    'talkboard.item.attempt': attempts + 1,
    'talkboard.account.id': accountId,
    'talkboard.channel.id': channelId,
    ...(kind !== null && { 'talkboard.connector.kind': kind }),
  },
  ...(traceparent !== null && { parent: traceparent }),
});

/** Its connector was removed, and one of another kind was added before the rest of it was deleted. */
async function dropForeign({ db, clock }: ProcessDeps, { accountId }: Lane, { id }: WaitingItem) {
  const outcome = { state: 'dropped', reason: 'its connector was removed' } as const;
  await db.transaction((tx) => finishItems(tx, accountId, [id], outcome, clock.now()));
}

const isOfJob = (error: unknown) =>
  error instanceof JobPostponed || error instanceof JobReleased || error instanceof LeaseLost;

/** Returns if the next item may follow; throws if this one is to be tried again. */
async function settle(
  deps: ProcessDeps,
  lane: Lane,
  { link, redact }: OpenLink,
  item: WaitingItem,
  error: unknown,
): Promise<void> {
  const { db, clock, links, logger } = deps;
  const { accountId, channelId } = lane;
  if (isOfJob(error)) throw error;
  if (error instanceof AlreadyDone) return;
  const finish = async (outcome: Outcome) => {
    await db.transaction((tx) => finishItems(tx, accountId, [item.id], outcome, clock.now()));
  };
  if (isBlocked(error)) {
    if ('customer' in item.item) await joinBlocked(deps, lane, item.item.customer);
    return finish({ state: 'dropped', reason: 'the contact is blocked' });
  }
  if (isTemporary(error)) throw new JobPostponed(1_000);
  if (error instanceof AppError && error.code === 'CHANNEL_DISABLED') throw new JobPostponed(closedMs);
  const reason = redact(error instanceof Error ? error.message : 'unknown').slice(0, 1_000);
  if (error instanceof ProviderError) {
    await links.fail(link, error);
    if (error.errorClass === 'credentials' || error.errorClass === 'unlinked')
      throw new JobPostponed(closedMs);
  }
  const attempts = await countAttempt(db, accountId, item.id, reason);
  logger.warn({ channelId, item: item.id, attempts, reason }, 'an inbound item failed');
  if (attempts >= maxAttempts) return finish({ state: 'failed', reason });
  const wait = error instanceof ProviderError ? error.waitMs : null;
  throw new JobPostponed(wait ?? backoffMs(attempts));
}
