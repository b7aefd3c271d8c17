/**
 * The changes that live updates are made from. Triggers write them with every change (migrations/0010_realtime.sql);
 * here are those that have no trigger, and those that a transaction takes back.
 */
import type { Tx } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';

/** Moves with every change, before its commit. */
export const lastLiveChange = sql`(select last_value from live_changes_id_seq)`;

/** Part of a larger statement; `rows` is a select of type, subject_id and user_id. */
export function insertLiveChanges(accountId: string, rows: Sql): Sql {
  return sql`
    insert into live_changes (account_id, type, subject_id, user_id)
    select ${accountId}::uuid, c.type, c.subject_id, c.user_id from (${rows}) as c (type, subject_id, user_id)`;
}

export async function noteLiveChange(
  tx: Tx,
  accountId: string,
  { type, subjectId, detail }: { type: string; subjectId: string; detail: string },
): Promise<void> {
  await tx.query(sql`
    insert into live_changes (account_id, type, subject_id, detail)
    values (${accountId}, ${type}, ${subjectId}, ${detail})`);
}

/** One change for each of the users. */
export async function noteForUsers(
  tx: Tx,
  accountId: string,
  change: { type: string; subjectId: string; itemId: string | null; userIds: string[]; detail: string },
): Promise<void> {
  const { type, subjectId, itemId, userIds, detail } = change;
  await tx.query(sql`
    insert into live_changes (account_id, type, subject_id, item_id, user_id, detail)
    select ${accountId}::uuid, ${type}::text, ${subjectId}::text, ${itemId}::uuid, user_id, ${detail}::text
    from unnest(${userIds}::uuid[]) as u (user_id)`);
}

/** Messages were written whose changes were taken back: what keeps a copy of all messages reads them again. */
export async function noteRefilledMessages(tx: Tx, accountId: string): Promise<void> {
  await tx.query(insertLiveChanges(accountId, sql`select 'messages.filled', ${accountId}::text, null::uuid`));
}

/**
 * Messages were removed whose changes were taken back: what keeps a copy of all messages removes these. One change for
 * many, which names no conversation: its id may be a phone number.
 */
export async function noteRemovedMessages(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await noteLiveChange(tx, accountId, {
    type: 'messages.removed',
    subjectId: accountId,
    detail: ids.join(' '),
  });
}

/**
 * Rows that this transaction has made. With an Idempotency-Key it is made under a savepoint, whose rows have an id of
 * their own, later than the transaction's (their age is below zero); of the rows that can be seen, only one's own are of
 * a transaction still in progress.
 */
const isMadeHere = sql`case when age(xmin) <= 0
  then pg_xact_status((pg_current_xact_id()::text::bigint - age(xmin))::text::xid8) = 'in progress' else false end`;

/** Takes back this transaction's own changes: of one type, or all but one. Others' changes stay. */
export async function takeBackLiveChanges(
  tx: Tx,
  accountId: string,
  which: { type: string } | { except: string },
): Promise<void> {
  const types = 'type' in which ? sql`type = ${which.type}` : sql`type <> ${which.except}`;
  await tx.query(
    sql`delete from live_changes where account_id = ${accountId} and ${types} and ${isMadeHere}`,
  );
}
