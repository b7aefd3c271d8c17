import type { Tx } from '../../../platform/db/db.ts';
import { accountSuspended, unauthorized } from '../../../platform/http/errors.ts';
import { findActivity } from './accounts.active.sql.ts';

/** For every way in. Until the transaction ends the account is neither suspended nor deleted. */
export async function requireActive(tx: Tx, accountId: string): Promise<void> {
  const isActive = await findActivity(tx, accountId);
  if (isActive === null) throw unauthorized('the account is gone');
  if (!isActive) throw accountSuspended();
}
