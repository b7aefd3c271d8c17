/** Data that is imported or made up starts no rules: their causes are written by triggers of the database. */
import type { Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';

/** Until the transaction ends. */
export async function startNoRules(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('talkboard.automation', 'off', true)`);
}
