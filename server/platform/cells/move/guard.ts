/** The triggers that ask the fence. They stay as long as there are fences, so only the first move has to add them. */
import type { Db } from '../../db/db.ts';
import { isTemporary } from '../../http/errors.ts';
import { addGuards, selectGuarded } from './fence.sql.ts';
import { retried } from './retried.ts';
import type { MovedTable } from './tables.ts';

/**
 * Several tables in one transaction: on a busy server most of the time is spent waiting for a turn, once for each
 * transaction. No writer waits longer for a group than for a table that is in use.
 */
const together = 10;
const groupWaitMs = 20;
const tableWaitMs = 200;

export async function guardTables(db: Db, tables: readonly MovedTable[]): Promise<void> {
  const guarded = await selectGuarded(db);
  const open = tables.filter(({ name }) => !guarded.has(name));
  for (let begin = 0; begin < open.length; begin += together) {
    const group = open.slice(begin, begin + together);
    try {
      await addGuards(db, group, groupWaitMs);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      // One of them is in use.
      for (const table of group) await retried(() => addGuards(db, [table], tableWaitMs));
    }
  }
}
