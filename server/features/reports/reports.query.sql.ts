import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { Db } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

/** Each may hold a connection for half a minute: the rest of the pool stays free. */
const reportsAtOnce = 3;
const turns = createSemaphore(reportsAtOnce);

export type ReadReport = <R>(statement: Sql) => Promise<R[]>;

/**
 * A report reads much, seldom: it is planned for its own period instead of with a cached plan (which assumes a short
 * period and looks up 50,000 conversations one by one), and may sort in memory. It is slow only before the figures of
 * conversations are computed for the first time. `sorting: false` is for queries that group unnested arrays, whose
 * number the planner cannot know: it would sort them, for twice the time.
 */
export function queryReport<R>(db: Db, statement: Sql, options?: { sorting?: boolean }): Promise<R[]> {
  return readInOneMoment(db, (read) => read<R>(statement), options);
}

/** Several statements that see the same snapshot, for figures that must add up. */
export function readInOneMoment<T>(
  db: Db,
  run: (read: ReadReport) => Promise<T>,
  { sorting = true } = {},
): Promise<T> {
  return turns.take(() =>
    db.transaction(async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read, read only`);
      if (!sorting) await tx.query(sql`select set_config('enable_sort', 'off', true)`);
      await tx.query(sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '32MB', true),
        set_config('jit', 'off', true)`);
      return run((statement) => tx.query(statement, { timeoutMs: 30_000 }));
    }),
  );
}
