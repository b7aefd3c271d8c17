import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { SessionState } from './sessions.sql.ts';

/** What the customer gave. Null leaves the address as it is. */
export async function updateCustomer(
  tx: Tx,
  accountId: string,
  state: SessionState,
  { email, searchText }: { email: string | null; searchText: string },
): Promise<void> {
  await tx.query(sql`
    update sessions set session_name = ${state.sessionName}, search_text = ${searchText},
      customer_email = coalesce(${email}, customer_email), updated_at = ${state.updatedAt}
    where account_id = ${accountId} and session_id = ${state.sessionId}`);
}
