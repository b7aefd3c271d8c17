import type { Db } from '../../platform/db.ts';
import { type Sql, sql } from '../../platform/sql.ts';

/**
 * A report reads much, seldom: it is planned for its own period instead of by a plan that is kept for all of them (which
 * takes a year for a moment and looks 50,000 conversations up one by one), and may sort in memory. Only before the
 * figures of conversations are worked out for the first time does it take longer than a moment.
 */
export function queryReport<R>(db: Db, statement: Sql): Promise<R[]> {
  return db.transaction(async (tx) => {
    tx.send(sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '32MB', true),
      set_config('jit', 'off', true)`);
    return tx.query<R>(statement, { timeoutMs: 30_000 });
  });
}
