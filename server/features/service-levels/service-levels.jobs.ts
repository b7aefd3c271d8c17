/**
 * Follows conversations of accounts with policies: those that changed, those whose targets are due, and all open ones
 * after a change of policies. Each step takes a batch of one account in a transaction of its own.
 */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { type JobHandler, retryByJob } from '../../platform/jobs/jobs.ts';
import { type RunningLoop, runWhenDue } from '../../platform/jobs/run-when-due.ts';
import { writeSplit } from '../../platform/jobs/split-batch.ts';
import type { Logger } from '../../platform/logger.ts';
import { type SettleDeps, settle, type Wanted } from './service-levels.settle.ts';
import {
  type DuePass,
  deleteQueued,
  hasWork,
  lockServiceLevels,
  savePass,
  selectDue,
  selectDuePasses,
  selectOpenSessionIds,
  selectQueue,
  serviceLevelsJobKind,
} from './service-levels.sql.ts';

export interface ServiceLevelDeps extends SettleDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
}

const everyMs = 100;
const afterErrorMs = 1_000;
const batch = 200;
/** A transaction that did not see the new policy has ended by then. */
const secondRoundMs = 5_000;

export function startServiceLevels(deps: ServiceLevelDeps): RunningLoop {
  return runWhenDue<boolean>(deps.db, {
    look: { name: 'service levels', value: hasWork },
    isDue: (found) => found,
    run: () => followOnce(deps),
    onError: (error) => deps.logger.warn({ err: error }, 'computing service levels failed; retrying'),
    everyMs,
    afterErrorMs,
  });
}

/** True: there is more to do. */
export async function followOnce(deps: ServiceLevelDeps): Promise<boolean> {
  // What is due first: it may be the breach of a target that a change of the same conversation would meet.
  const due = await selectDue(deps.db, deps.clock.now(), batch);
  for (const [accountId, ones] of Map.groupBy(due, (one) => one.accountId)) {
    const now = deps.clock.now();
    await settleAll(
      deps,
      accountId,
      ones.map(({ sessionId }) => ({ sessionId, since: now })),
    );
  }
  const queue = await selectQueue(deps.db, batch);
  for (const [accountId, ones] of Map.groupBy(queue, (one) => one.accountId)) {
    const now = deps.clock.now();
    await settleAll(
      deps,
      accountId,
      ones.map(({ id, sessionId, since }) => ({ sessionId, since: since ?? now, queued: id })),
    );
  }
  let isPassing = false;
  for (const pass of await selectDuePasses(deps.db, deps.clock.now()))
    isPassing = (await runPass(deps, pass)) || isPassing;
  return due.length === batch || queue.length === batch || isPassing;
}

interface Work extends Wanted {
  /** Of the queue. */
  queued?: string;
}

/** False: another process is at the account, and what is left is found again. */
async function settleAll(deps: ServiceLevelDeps, accountId: string, work: readonly Work[]): Promise<boolean> {
  const { db, clock, logger } = deps;
  const queuedOf = (some: readonly Work[]) =>
    some.flatMap(({ queued }) => (queued === undefined ? [] : [queued]));
  let isDone = true;
  await writeSplit(
    work,
    async (some) => {
      const isLocked = await db.transaction(async (tx) => {
        if (!(await lockServiceLevels(tx, accountId))) return false;
        await settle(tx, deps, accountId, some, clock.now());
        await deleteQueued(tx, queuedOf(some));
        return true;
      });
      isDone &&= isLocked;
    },
    async (one, error) => {
      const { sessionId, since } = one;
      logger.warn(
        { err: error, accountId, sessionId },
        'the service levels of a conversation failed; retrying',
      );
      const job = { kind: serviceLevelsJobKind, payload: { sessionId, since }, dedupeKey: sessionId };
      await retryByJob(db, { accountId, ...job });
      await db.transaction((tx) => deleteQueued(tx, queuedOf([one])));
    },
  );
  return isDone;
}

/** True: there is more to do at once. */
async function runPass(deps: ServiceLevelDeps, { accountId, ...pass }: DuePass): Promise<boolean> {
  const { after, rounds, since } = pass;
  const ids = await selectOpenSessionIds(deps.db, accountId, after, batch);
  const isDone = await settleAll(
    deps,
    accountId,
    ids.map((sessionId) => ({ sessionId, since })),
  );
  if (!isDone) return false;
  const hasMore = ids.length === batch;
  const next = hasMore ? { after: ids.at(-1)!, rounds } : { after: '', rounds: rounds - 1 };
  const runAt = deps.clock.now() + (hasMore ? 0 : secondRoundMs);
  await deps.db.transaction((tx) => savePass(tx, accountId, pass, { ...next, runAt }));
  return hasMore;
}

export function serviceLevelsHandler(deps: ServiceLevelDeps): JobHandler {
  return async ({ accountId, payload }) => {
    const now = deps.clock.now();
    const wanted = { sessionId: String(payload.sessionId), since: Number(payload.since ?? now) };
    await deps.db.transaction((tx) => settle(tx, deps, accountId, [wanted], now));
  };
}
