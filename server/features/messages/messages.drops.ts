import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { countDrop } from '../blocked-contacts/blocked-contacts.ts';
import { ContactBlocked } from '../sessions/sessions.ts';

/** A rejected send is counted on the block list, in a separate transaction: the send's is rolled back. */
export async function countingDrops<T>(
  { db, clock }: { db: Db; clock: Clock },
  accountId: string,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ContactBlocked) await countDrop(db, accountId, error.contactKey, clock.now());
    throw error;
  }
}
