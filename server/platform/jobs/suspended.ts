/**
 * Suspended accounts: nothing of them is sent, answered or processed until they are resumed. A part of statements that
 * claim work; the list comes from a small index, once per statement, and is empty on most instances.
 */
import { type Sql, sql } from '../db/sql.ts';

export const isActive = (accountId: Sql): Sql =>
  sql`${accountId} <> all(array(select id from accounts where suspended_at is not null))`;
