import type { Notification } from '../../../contract/realtime.ts';
import type { CrmRecord } from '../../../contract/records.ts';
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type RecordRow, recordColumns, toRecord } from '../records/records.ts';
import { notificationColumns } from './realtime.notifications.sql.ts';

export interface Key {
  accountId: string;
  id: string;
}

const accountsOf = (keys: readonly Key[]) => keys.map((key) => key.accountId);
const idsOf = (keys: readonly Key[]) => keys.map((key) => key.id);

/** Of several accounts at once, like everything here: a process serves many with one read. */
export async function selectRecordsByKeys(db: Reader, keys: readonly Key[]): Promise<CrmRecord[]> {
  const rows = await db.query<RecordRow>(sql`
    select ${recordColumns} from unnest(${accountsOf(keys)}::uuid[], ${idsOf(keys)}::uuid[]) as wanted (account, record)
    join records on account_id = account and id = record`);
  return rows.map(toRecord);
}

export async function selectNotificationsByKeys(
  db: Reader,
  keys: readonly Key[],
): Promise<(Notification & { accountId: string })[]> {
  return db.query<Notification & { accountId: string }>(sql`
    select n.account_id as "accountId", ${notificationColumns}
    from unnest(${accountsOf(keys)}::uuid[], ${idsOf(keys)}::uuid[]) as wanted (account, notification)
    join notifications n on n.account_id = account and n.id = notification`);
}

export async function countUnreadByKeys(
  db: Reader,
  users: readonly Key[],
): Promise<{ accountId: string; id: string; unread: number }[]> {
  return db.query(sql`
    select account as "accountId", "user" as id, (
      select count(*)::int from notifications n
      where n.account_id = account and n.user_id = "user" and n.read_at is null and n.in_page) as unread
    from unnest(${accountsOf(users)}::uuid[], ${idsOf(users)}::uuid[]) as wanted (account, "user")`);
}

export async function selectVersions(
  db: Reader,
  accountIds: readonly string[],
): Promise<{ accountId: string; version: number }[]> {
  return db.query(sql`
    select id as "accountId", definitions_version as version from accounts where id = any(${accountIds}::uuid[])`);
}
