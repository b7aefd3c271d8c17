/** Records by a label. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../../platform/events/outbox.ts';

/** Planned without the limit that follows: it is always the index that finds them. */
const labelled = (accountId: string, labelId: string): Sql => sql`
  with labelled as materialized (
    select id from records
    where account_id = ${accountId} and label_ids @> array[${labelId}::uuid] and label_ids <> '{}')
  select id from labelled`;

export async function countLabelled(
  db: Reader,
  accountId: string,
  labelId: string,
  max: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (${labelled(accountId, labelId)} limit ${max}) found`);
  return row!.count;
}

export async function selectLabelledIds(
  db: Reader,
  accountId: string,
  labelId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`${labelled(accountId, labelId)} limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** One event for each record. */
export async function removeLabel(
  tx: Tx,
  accountId: string,
  labelId: string,
  updatedBy: string,
  now: number,
  events: readonly FrozenEvent[],
): Promise<void> {
  await tx.query(sql`
    with change as (
      update records set label_ids = array_remove(label_ids, ${labelId}::uuid), updated_by = ${updatedBy},
        updated_at = greatest(updated_at, ${now}::bigint), event_sequence = event_sequence + 1,
        changed_xid = pg_current_xact_id()
      where account_id = ${accountId} and id = any(${events.map((event) => event.subjectId)}::uuid[])
      returning 1
    ), ${insertEvents(tx, events, 'change')}
    select 1 from change limit 1`);
}
