import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import { eventRows, type FrozenEvent, noteEvents, wakeDeliveries } from '../../platform/events/outbox.ts';
import { recordInsert } from './records.sql.ts';

export interface NewRecord {
  record: CrmRecord;
  event: FrozenEvent;
}

/** New records of one account with their events. The transaction holds the definitions. */
export async function insertRecords(tx: Tx, accountId: string, created: readonly NewRecord[]): Promise<void> {
  noteEvents(tx, created.map(eventOf));
  await tx.query(creation(accountId, created, empty));
}

/** The same for creates of several requests, as a statement that commits itself. False: the definitions have changed. */
export async function insertSharedRecords(
  db: Db,
  accountId: string,
  created: readonly NewRecord[],
  definitionsVersion: number,
): Promise<boolean> {
  const isCurrent = sql`where (select definitions_are_current(${accountId}, ${definitionsVersion}))`;
  const rows = await db.autocommit(creation(accountId, created, isCurrent), {
    shareKey: `records ${accountId}`,
  });
  wakeDeliveries(db);
  return rows.length > 0;
}

const eventOf = ({ event }: NewRecord) => event;

/** One statement is 6 times as fast as a savepoint and an insert for each record. */
const creation = (accountId: string, created: readonly NewRecord[], condition: Sql): Sql => sql`
  with change as (
    ${recordInsert(created.map(({ record }) => record))} ${condition}
    returning 1
  ), ${eventRows(accountId, created.map(eventOf), 'change')}
  select 1 from change limit 1`;
