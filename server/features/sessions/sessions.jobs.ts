/**
 * Ends snoozes at their time. The row itself says when: a snooze that was changed or ended meanwhile needs nothing
 * else, and after a crash the next poll finds it. Several workers may find the same one; the first changes it under the
 * conversation's lock, the others then see that it is open.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/logger.ts';
import { lockSessionStates, selectEndedSnoozes } from './sessions.bulk.sql.ts';
import { changeLifecycle, system, writeChanges } from './sessions.lifecycle.ts';

export interface SnoozeDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  /** Something was committed that windows show. */
  onEnded(): void;
}

const pollMs = 1_000;
const batch = 100;

export function startSnoozes(deps: SnoozeDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      let found = 0;
      try {
        found = await endSnoozes(deps, deps.clock.now());
        if (found > 0) deps.onEnded();
      } catch (error) {
        deps.logger.warn({ err: error }, 'ending snoozes failed; retrying');
      }
      if (found < batch)
        await sleep(pollMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Returns how many it has ended. An account that fails does not hold up others. */
export async function endSnoozes(
  { db, logger }: Pick<SnoozeDeps, 'db' | 'logger'>,
  now: number,
): Promise<number> {
  let count = 0;
  const due = await selectEndedSnoozes(db, now, batch);
  for (const [accountId, ones] of Map.groupBy(due, (one) => one.accountId)) {
    const ids = ones.map(({ sessionId }) => sessionId);
    const end = db.transaction(async (tx) => {
      const states = [...(await lockSessionStates(tx, accountId, ids)).values()];
      const ended = states.filter(({ snoozedUntil }) => snoozedUntil !== null && snoozedUntil <= now);
      await writeChanges(
        tx,
        accountId,
        ended.map((state) => {
          const { state: open, change } = changeLifecycle(state, now, system, { status: 'open' });
          // Unread, so that it stands out in the list although nobody wrote.
          return { state: { ...open, unread: Math.max(open.unread, 1) }, change };
        }),
      );
    });
    await end.then(
      () => {
        count += ids.length;
      },
      (error) => logger.warn({ err: error, accountId }, 'ending snoozes failed; retrying'),
    );
  }
  return count;
}
