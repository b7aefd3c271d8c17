/** Runs the backfill of contacts until it is done, then stops. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/logger.ts';
import { backfillBatch } from './contacts.backfill.ts';

/** Messages of new customers in a batch wait for it: it is short. */
const batch = 200;
const betweenBatchesMs = 20;
const whileBusyMs = 5_000;
const afterFailureMs = 30_000;

export function startContactBackfill({ db, logger }: { db: Db; logger: Logger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      let pauseMs = betweenBatchesMs;
      try {
        const result = await db.transaction((tx) => backfillBatch(tx, batch));
        if (result === 'done') return;
        if (result === 'busy') pauseMs = whileBusyMs;
      } catch (error) {
        logger.warn({ err: error }, 'creating the contacts of older conversations failed; retrying');
        pauseMs = afterFailureMs;
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
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
