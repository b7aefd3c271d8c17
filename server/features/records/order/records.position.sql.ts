/** The manual order of a column. Places of records change only under the lock of their board's order. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { Place, PlacedRecord } from './records.place.ts';

export interface Column {
  accountId: string;
  kanbanId: string;
  status: string;
  /** The record that is being moved is not a neighbour of itself. */
  exceptId: string;
}

/** Before the record's own lock, so that two moves never wait for each other. An absent record locks nothing. */
export async function lockOrder(tx: Tx, accountId: string, recordId: string): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(kanban_id::text || '/order', 0))
    from records where account_id = ${accountId} and id = ${recordId}`);
}

export async function findKanbanId(db: Reader, accountId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ kanbanId: string }>(sql`
    select kanban_id as "kanbanId" from records where account_id = ${accountId} and id = ${id}`);
  return row?.kanbanId ?? null;
}

export async function findPlace(
  db: Reader,
  accountId: string,
  kanbanId: string,
  id: string,
): Promise<PlacedRecord | null> {
  const [row] = await db.query<PlacedRecord>(sql`
    select coalesce(place_at, created_at) as at, coalesce(place_id, id) as "placeId", id from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and id = ${id}`);
  return row ?? null;
}

/** The records directly above a place, nearest first. */
export function selectAbove(
  db: Reader,
  column: Column,
  { at, placeId, id }: PlacedRecord,
  limit: number,
): Promise<PlacedRecord[]> {
  return db.query<PlacedRecord>(sql`
    select at, place_id as "placeId", id from (
      (select created_at as at, id as place_id, id ${unplacedIn(column)}
        and (created_at, id, id) > (${at}, ${placeId}, ${id}) order by created_at, id limit ${limit})
      union all
      (select place_at, place_id, id ${placedIn(column)}
        and (place_at, place_id, id) > (${at}, ${placeId}, ${id}) order by place_at, place_id, id limit ${limit})
    ) c order by at, place_id, id limit ${limit}`);
}

/** The records directly below a place, nearest first. */
export function selectBelow(
  db: Reader,
  column: Column,
  { at, placeId, id }: PlacedRecord,
  limit: number,
): Promise<PlacedRecord[]> {
  return db.query<PlacedRecord>(sql`
    select at, place_id as "placeId", id from (
      (select created_at as at, id as place_id, id ${unplacedIn(column)}
        and (created_at, id, id) < (${at}, ${placeId}, ${id}) order by created_at desc, id desc limit ${limit})
      union all
      (select place_at, place_id, id ${placedIn(column)}
        and (place_at, place_id, id) < (${at}, ${placeId}, ${id})
        order by place_at desc, place_id desc, id desc limit ${limit})
    ) c order by at desc, place_id desc, id desc limit ${limit}`);
}

const unplacedIn = (column: Column): Sql => sql`${inColumn(column)} and place_at is null`;
const placedIn = (column: Column): Sql => sql`${inColumn(column)} and place_at is not null`;

function inColumn({ accountId, kanbanId, status, exceptId }: Column): Sql {
  return sql`from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and status = ${status} and id <> ${exceptId}`;
}

/** Other records than the moved one keep their order: they only make space. */
export async function updatePlaces(
  tx: Tx,
  accountId: string,
  places: readonly (Place & { id: string })[],
): Promise<void> {
  await tx.query(sql`
    with given as (
      select * from unnest(${places.map(({ id }) => id)}::uuid[], ${places.map(({ at }) => at)}::bigint[],
        ${places.map(({ placeId }) => placeId)}::uuid[]) as g (id, at, place_id)
    ), locked as (
      select r.id from records r join given g on g.id = r.id where r.account_id = ${accountId} order by r.id for update of r
    )
    update records r set place_at = g.at, place_id = g.place_id, changed_xid = pg_current_xact_id()
    from given g join locked l on l.id = g.id
    where r.account_id = ${accountId} and r.id = g.id`);
}
