/**
 * Updates stored contact keys to the current normalisation rule, once after an upgrade that changed the rule and
 * before the service accepts requests. The rule is TypeScript, so a SQL migration cannot do it.
 */
import type { Db } from '../../platform/db/db.ts';
import { contactKey, contactKeyVersion, recomputeBlockKeys } from '../blocked-contacts/blocked-contacts.ts';
import {
  lockContactKeyVersion,
  saveContactKeyVersion,
  selectDoubtfulKeys,
  updateContactKeys,
} from './sessions.contact-keys.sql.ts';

/** The lock on the version makes a second starting process wait. A crash starts it over. */
export async function updateStoredContactKeys(db: Db, batchSize = 5_000): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await lockContactKeyVersion(tx)) >= contactKeyVersion) return;
    await recomputeBlockKeys(tx);
    let rows = await selectDoubtfulKeys(tx, null, batchSize);
    while (rows.length > 0) {
      const changed = rows.flatMap(({ identifier, key, ...row }) => {
        const newKey = contactKey(identifier);
        return newKey === key ? [] : [{ ...row, newKey }];
      });
      await updateContactKeys(tx, changed);
      rows = await selectDoubtfulKeys(tx, rows.at(-1)!, batchSize);
    }
    await saveContactKeyVersion(tx, contactKeyVersion);
  });
}
