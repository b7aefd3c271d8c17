import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { type LockedRecord, type RecordRow, recordColumns, toRecord } from './records.sql.ts';
import type { FieldValue } from './records.values.ts';

/** Touches every record of the board, so it may take longer than a usual request. */
const long = { timeoutMs: 600_000 };

/** Removes the values from the records and keeps them for the events; returns whether there were any. */
export async function setAsideFieldValues(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  fieldId: string,
): Promise<boolean> {
  const rows = await tx.query(
    sql`
    with had as (
      select id, custom_fields -> ${fieldId}::text as value from records
      where account_id = ${accountId} and kanban_id = ${kanbanId} and custom_fields ? ${fieldId}
      for update
    ), kept as (
      insert into deleted_field_values (account_id, field_id, record_id, value)
      select ${accountId}::uuid, ${fieldId}::uuid, id, value from had
    ), change as (
      update records r set custom_fields = r.custom_fields - ${fieldId}::text
      from had where r.account_id = ${accountId} and r.id = had.id
    )
    select 1 from had limit 1`,
    long,
  );
  return rows.length > 0;
}

/** The next values by record id, removed from the list: their events commit in the same transaction. */
export async function takeDeletedValues(
  tx: Tx,
  accountId: string,
  fieldId: string,
  limit: number,
): Promise<Map<string, FieldValue>> {
  const rows = await tx.query<{ record_id: string; value: FieldValue }>(sql`
    delete from deleted_field_values
    where account_id = ${accountId} and field_id = ${fieldId} and record_id in (
      select record_id from deleted_field_values
      where account_id = ${accountId} and field_id = ${fieldId} order by record_id limit ${limit})
    returning record_id, value`);
  return new Map(rows.map((row) => [row.record_id, row.value]));
}

/** Those that still exist, locked in the order that every change of several records uses. */
export async function lockRecordsById(tx: Tx, accountId: string, ids: string[]): Promise<LockedRecord[]> {
  const rows = await tx.query<RecordRow & { event_sequence: number }>(sql`
    select ${recordColumns}, event_sequence from records
    where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for update`);
  return rows.map((row) => ({ record: toRecord(row), eventSequence: row.event_sequence }));
}

/** One event for each record. */
export async function markChanged(
  tx: Tx,
  accountId: string,
  ids: string[],
  change: { updatedBy: string; updatedAt: number },
  events: FrozenEvent[],
): Promise<void> {
  await tx.query(sql`
    with change as (
      update records set updated_by = ${change.updatedBy}, updated_at = greatest(updated_at, ${change.updatedAt}::bigint),
        event_sequence = event_sequence + 1, changed_xid = pg_current_xact_id()
      where account_id = ${accountId} and id = any(${ids}::uuid[])
      returning 1
    ), ${insertEvents(tx, events, 'change')}
    select 1 from change limit 1`);
}
