/**
 * New lookup keys wait in a list beside their index, which every lookup reads as well (migrations/0006_search.sql).
 * It is emptied here, in bulk and in the background; otherwise PostgreSQL would do so in the middle of a create
 * whenever the list has grown to 4 MB, and lookups would become slower until then.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../../platform/db/db.ts';
import type { Logger } from '../../../platform/logger.ts';
import { emptyLookupList } from '../records.sql.ts';

const everyMs = 250;
const afterFailureMs = 60_000;

export function startLookupIndexing({ db, logger }: { db: Db; logger: Logger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      let pause = everyMs;
      try {
        await emptyLookupList(db);
      } catch (error) {
        logger.warn({ err: error }, 'look-up keys could not be moved to their index; retrying in a minute');
        pause = afterFailureMs;
      }
      await delay(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
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
