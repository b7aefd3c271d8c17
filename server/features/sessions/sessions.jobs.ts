/**
 * Ends snoozes at their time. The row itself says when: a snooze that was changed or ended meanwhile needs nothing
 * else, and after a crash the next look finds it. Several workers may find the same one; the first changes it under the
 * conversation's lock, the others then see that it is open.
 */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { type JobHandler, retryByJob } from '../../platform/jobs/jobs.ts';
import { runWhenDue } from '../../platform/jobs/run-when-due.ts';
import { writeSplit } from '../../platform/jobs/split-batch.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type EndedSnooze,
  hasEndedSnoozes,
  lockSessionStates,
  selectEndedSnoozes,
  snoozeJobKind,
} from './sessions.bulk.sql.ts';
import { changeLifecycle, system, writeChanges } from './sessions.lifecycle.ts';

export { snoozeJobKind };

export interface SnoozeDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
}

const everyMs = 1_000;
const batch = 100;

export function startSnoozes(deps: SnoozeDeps): { stop(): Promise<void> } {
  return runWhenDue<boolean>(deps.db, {
    look: { name: 'snoozes', value: hasEndedSnoozes },
    isDue: (hasEnded) => hasEnded,
    async run(signal) {
      await endSnoozes(deps, deps.clock.now(), signal);
      return false;
    },
    onError: (error) => deps.logger.warn({ err: error }, 'ending snoozes failed; retrying'),
    everyMs,
  });
}

/** Returns how many it has ended. One that fails holds up no other: a job tries it again. */
export async function endSnoozes(
  { db, logger }: Pick<SnoozeDeps, 'db' | 'logger'>,
  now: number,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  let due: EndedSnooze[] = [];
  do {
    due = await selectEndedSnoozes(db, now, batch);
    for (const [accountId, ones] of Map.groupBy(due, (one) => one.accountId)) {
      const end = async (some: readonly EndedSnooze[]) => {
        const ids = some.map(({ sessionId }) => sessionId);
        await endTogether(db, accountId, ids, now);
        count += ids.length;
      };
      const retry = async ({ sessionId }: EndedSnooze, error: unknown) => {
        logger.warn({ err: error, accountId, sessionId }, 'ending a snooze failed; retrying');
        const job = { kind: snoozeJobKind, payload: { sessionId }, dedupeKey: sessionId };
        await retryByJob(db, { accountId, ...job });
      };
      try {
        await writeSplit(ones, end, retry);
      } catch (error) {
        // Such as a conversation that is locked for long: the other accounts do not wait for it.
        for (const one of ones) await retry(one, error);
      }
    }
  } while (due.length === batch && !signal?.aborted);
  return count;
}

/** Of a conversation whose snooze could not be ended at its time. */
export function snoozeHandler({ db, clock }: SnoozeDeps): JobHandler {
  return ({ accountId, payload }) => endTogether(db, accountId, [String(payload.sessionId)], clock.now());
}

async function endTogether(db: Db, accountId: string, ids: readonly string[], now: number): Promise<void> {
  await db.transaction(async (tx) => {
    const states = [...(await lockSessionStates(tx, accountId, ids)).values()];
    const ended = states.filter(({ snoozedUntil }) => snoozedUntil !== null && snoozedUntil <= now);
    await writeChanges(
      tx,
      accountId,
      ended.map((state) => {
        const { state: open, change } = changeLifecycle(state, now, system, { status: 'open' });
        // Unread, so that it is visible in the list without a new message.
        return { state: { ...open, unread: Math.max(open.unread, 1) }, change };
      }),
    );
  });
}
