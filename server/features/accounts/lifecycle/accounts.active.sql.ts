import type { Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** False: it is suspended or being deleted; null: it is gone. */
export async function findActivity(tx: Tx, accountId: string): Promise<boolean | null> {
  const [row] = await tx.query<{ isActive: boolean }>(sql`
    select suspended_at is null and deleting_at is null as "isActive" from accounts
    where id = ${accountId} for share`);
  return row?.isActive ?? null;
}
