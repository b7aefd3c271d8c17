import type { BusinessHours } from '../../../contract/business-hours.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface StoredHours extends BusinessHours {
  /** The channel whose `hours` made them; null: made as hours of the account. */
  madeFor: string | null;
}

const columns = sql`id, name, is_default as "isDefault", time_zone as "timeZone", week,
  closed_dates as "closedDates", names, made_for as "madeFor"`;

/** The default first, then by name. */
export async function selectHours(db: Reader, accountId: string): Promise<StoredHours[]> {
  return db.query<StoredHours>(sql`
    select ${columns} from business_hours where account_id = ${accountId}
    order by is_default desc, lower(name), id`);
}

export async function findHours(db: Reader, accountId: string, id: string): Promise<StoredHours | null> {
  const [row] = await db.query<StoredHours>(sql`
    select ${columns} from business_hours where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export async function insertHours(tx: Tx, accountId: string, hours: StoredHours): Promise<void> {
  await tx.query(sql`
    insert into business_hours (account_id, id, name, is_default, time_zone, week, closed_dates, names, made_for)
    values (${accountId}, ${hours.id}, ${hours.name}, ${hours.isDefault}, ${hours.timeZone},
      ${JSON.stringify(hours.week)}, ${hours.closedDates}::text[], ${JSON.stringify(hours.names)}, ${hours.madeFor})`);
}

export async function updateHours(tx: Tx, accountId: string, hours: StoredHours): Promise<void> {
  await tx.query(sql`
    update business_hours set name = ${hours.name}, is_default = ${hours.isDefault}, time_zone = ${hours.timeZone},
      week = ${JSON.stringify(hours.week)}, closed_dates = ${hours.closedDates}::text[],
      names = ${JSON.stringify(hours.names)}
    where account_id = ${accountId} and id = ${hours.id}`);
}

export async function clearDefault(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`
    update business_hours set is_default = false where account_id = ${accountId} and is_default`);
}

export async function deleteHours(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from business_hours where account_id = ${accountId} and id = ${id}`);
}
