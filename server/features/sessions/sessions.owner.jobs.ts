/** Conversations whose owner may no longer see their board: they lose it, so that others find them. */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { systemActor } from '../accounts/accounts.ts';
import { findMayOwn, selectIdsOfHidden } from './sessions.owner.sql.ts';
import { releaseSession } from './sessions.owner.ts';

const atATime = 100;

/** Each in its own transaction: locks are short, and the rest is found again after a crash. */
export function releaseOwnersHandler({ db, clock }: { db: Db; clock: Clock }): JobHandler {
  return async ({ accountId, isStopping }) => {
    const actor = systemActor(accountId);
    for (;;) {
      const ids = await selectIdsOfHidden(db, accountId, atATime);
      for (const id of ids) {
        await db.transaction((tx) =>
          releaseSession(tx, actor, clock.now(), id, async ({ kanbanId, assignedUserId }) => {
            return !(await findMayOwn(tx, accountId, kanbanId, assignedUserId!));
          }),
        );
      }
      if (ids.length < atATime || isStopping()) return;
    }
  };
}
