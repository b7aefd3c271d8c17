/**
 * PostgreSQL keeps the plans of prepared statements and of foreign keys until a table was analysed. Made while the table
 * was empty, when every index looks as good as any other, a plan may find one conversation by reading all of its
 * account; autovacuum comes by a minute later at the earliest. So tables are analysed as soon as they have their first
 * rows; how they grow from there is autovacuum's matter.
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
    looking ??= analyseNewTable(db)
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

/** Whether there was one. The next look finds the next. */
export async function analyseNewTable(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(sql`select analyse_new_table(${firstRows}) as found`, {
    timeoutMs: longestMs,
  });
  return row!.found;
}
