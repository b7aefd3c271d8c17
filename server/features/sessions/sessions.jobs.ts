/**
 * Ends snoozes at their time. The row itself says when: a snooze that was changed or ended meanwhile needs nothing
 * else, and after a crash the next look finds it. Several workers may find the same one; the first changes it under the
 * conversation's lock, the others then see that it is open.
 */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { isTemporary } from '../../platform/http/errors.ts';
import { runWhenDue } from '../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type EndedSnooze,
  hasEndedSnoozes,
  lockSessionStates,
  selectEndedSnoozes,
} from './sessions.bulk.sql.ts';
import { changeLifecycle, system, writeChanges } from './sessions.lifecycle.ts';

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

/** Returns how many it has ended. One that fails holds up no other: it is retried a second later. */
export async function endSnoozes(
  { db, logger }: Pick<SnoozeDeps, 'db' | 'logger'>,
  now: number,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  let due: EndedSnooze[] = [];
  do {
    due = await selectEndedSnoozes(db, now, due.at(-1) ?? null, batch);
    for (const [accountId, ones] of Map.groupBy(due, (one) => one.accountId)) {
      const ids = ones.map(({ sessionId }) => sessionId);
      count += await endTogether(accountId, ids).catch(() => endEach(accountId, ids));
    }
  } while (due.length === batch && !signal?.aborted);
  return count;

  async function endTogether(accountId: string, ids: readonly string[]): Promise<number> {
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
    return ids.length;
  }

  async function endEach(accountId: string, ids: readonly string[]): Promise<number> {
    let ended = 0;
    for (const id of ids) {
      try {
        ended += await endTogether(accountId, [id]);
      } catch (error) {
        logger.warn({ err: error, accountId, sessionId: id }, 'ending a snooze failed; retrying');
        // All of them would fail.
        if (isTemporary(error)) break;
      }
    }
    return ended;
  }
}
