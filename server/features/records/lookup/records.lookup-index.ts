/**
 * New lookup keys wait in a list beside their index, which every lookup reads as well (migrations/0006_search.sql).
 * It is emptied here, in bulk and in the background; otherwise PostgreSQL would do so in the middle of a create
 * whenever the list has grown to 4 MB, and lookups would become slower until then.
 */
import type { Db } from '../../../platform/db/db.ts';
import { lastLiveChange } from '../../../platform/events/live-changes.ts';
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../../platform/logger.ts';
import { emptyLookupList } from '../records.sql.ts';

const everyMs = 250;
const afterErrorMs = 60_000;

export function startLookupIndexing({ db, logger }: { db: Db; logger: Logger }): { stop(): Promise<void> } {
  /** The last change before the last run: while there is none since, the list is empty. */
  let emptiedAt: number | null = null;
  return runWhenDue<number>(db, {
    look: { name: 'last change', value: lastLiveChange },
    isDue(last) {
      const isChanged = last !== emptiedAt;
      emptiedAt = last;
      return isChanged;
    },
    async run() {
      await emptyLookupList(db);
      return false;
    },
    onError(error) {
      logger.warn({ err: error }, 'look-up keys could not be moved to their index; retrying in a minute');
      emptiedAt = null;
    },
    everyMs,
    afterErrorMs,
  });
}
