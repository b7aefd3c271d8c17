/** Data that is imported or made up starts no rules: their causes are written by triggers of the database. */
import type { Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';

/** Dates that an import brings come one day: the rules that wait for them look once more after the commit. */
export async function armDates(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select arm_automation_dates(${accountId})`);
}

/** Until the transaction ends. */
export async function startNoRules(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('talkboard.automation', 'off', true)`);
}
