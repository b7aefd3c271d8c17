/**
 * The lock on an account's configuration: its boards, fields, members, channels, agents and language, which share one
 * version. Every change of them takes it, and need not think of caches: they drop the account after the commit.
 */
import type { Tx } from '../../platform/db/db.ts';
import { lockDefinitions } from './accounts.admin.sql.ts';

/** For caches of the configuration, to listen to. */
export const accountConfigTopic = 'account-config';

/** Raises the version and holds the lock that writes of records and messages share, until this transaction ends. */
export async function lockAccountConfig(tx: Tx, accountId: string): Promise<void> {
  await lockDefinitions(tx, accountId);
  tx.invalidate(accountConfigTopic, accountId);
}
