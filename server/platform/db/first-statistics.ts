/**
 * Analyses tables as soon as they have their first rows, and again while they grow fast. PostgreSQL keeps the plans of
 * prepared statements and foreign keys until a table is analysed; a plan made for a small table may find one conversation
 * by reading its whole account, and autovacuum comes a minute later at the earliest (D-433).
 */

import type { Logger } from '../logger.ts';
import type { Db } from './db.ts';
import { sql } from './sql.ts';

const lookEveryMs = 1_000;
const firstRows = 50;
const longestMs = 30_000;

export interface FirstStatistics {
  stop(): Promise<void>;
}

export function startFirstStatistics(db: Db, logger: Logger): FirstStatistics {
  let looking: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    looking ??= analyseGrownTables(db)
      .catch((error) => logger.warn({ err: error }, 'new tables could not be analysed; retrying'))
      .finally(() => {
        looking = null;
      });
  }, lookEveryMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Whether there were any. */
export async function analyseGrownTables(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(sql`select analyse_new_table(${firstRows}) as found`, {
    timeoutMs: longestMs,
  });
  return row!.found;
}
