/** Records of a board: for changes of statuses, fields and boards. */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { type LockedRecord, type RecordRow, recordColumns, toRecord } from './records.sql.ts';
import { type StatusChange, statusChanges } from './records.status-changes.sql.ts';

/** These touch every record of a board; they may take longer than a usual request. */
const long = { timeoutMs: 600_000 };

export async function recordsExist(db: Reader, accountId: string, kanbanId: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from records where account_id = ${accountId} and kanban_id = ${kanbanId} limit 1`,
  );
  return rows.length > 0;
}

export async function statusesInUse(
  db: Reader,
  accountId: string,
  kanbanId: string,
  statuses: string[],
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and status = any(${statuses}::text[]) limit 1`);
  return rows.length > 0;
}

export async function lockRecordsByStatus(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  statuses: string[],
  limit: number,
): Promise<LockedRecord[]> {
  const rows = await tx.query<RecordRow & { event_sequence: number }>(
    sql`
    select ${recordColumns}, event_sequence
    from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and status = any(${statuses}::text[])
    order by id limit ${limit} for update`,
    long,
  );
  return rows.map((row) => ({ record: toRecord(row), eventSequence: row.event_sequence }));
}

export async function updateStatuses(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  records: CrmRecord[],
  changes: StatusChange[],
  change: { status: string; updatedBy: string; updatedAt: number },
  events: FrozenEvent[],
): Promise<void> {
  await tx.query(
    sql`
    with change as (
      update records set status = ${change.status}, updated_by = ${change.updatedBy},
        updated_at = greatest(updated_at, ${change.updatedAt}::bigint), event_sequence = event_sequence + 1,
        changed_xid = pg_current_xact_id()
      where account_id = ${accountId} and id = any(${records.map((record) => record.recordId)}::uuid[])
      returning 1
    ), ${statusChanges(accountId, kanbanId, changes)}, ${insertEvents(tx, events, 'change')}
    select 1 from change limit 1`,
    long,
  );
}

export async function fieldValuesExist(
  db: Reader,
  accountId: string,
  kanbanId: string,
  fieldId: string,
): Promise<boolean> {
  const rows = await db.query(
    sql`
    select 1 from records where account_id = ${accountId} and kanban_id = ${kanbanId} and custom_fields ? ${fieldId}
    limit 1`,
    long,
  );
  return rows.length > 0;
}
