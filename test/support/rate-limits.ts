import { sql } from '../../server/platform/db/sql.ts';
import type { TestService } from './service.ts';

/** One table after the other: a lock on both at once can deadlock with a request of the service. */
export async function resetRateLimits({ context: { db } }: Pick<TestService, 'context'>): Promise<void> {
  await db.query(sql`truncate rate_limit_hits`);
  await db.query(sql`truncate rate_limit_counters`);
}
