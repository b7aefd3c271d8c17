/** What the demo made is known by who made it: `demo` in the audit log and in the records' created_by. */
import type { Reader, Tx } from '../server/platform/db.ts';
import { sql } from '../server/platform/sql.ts';

export interface DemoObjects {
  /** Every id, also of what was deleted since. */
  all: string[];
  kanbanIds: string[];
  userIds: string[];
}

export async function selectDemoObjects(db: Reader, accountId: string): Promise<DemoObjects> {
  const rows = await db.query<{ type: string; id: string }>(sql`
    select target_type as type, target_id as id from audit_log
    where account_id = ${accountId} and actor_id = 'demo' and action like '%.created'`);
  const idsOf = (type: string) => rows.filter((row) => row.type === type).map((row) => row.id);
  return { all: rows.map((row) => row.id), kanbanIds: idsOf('kanban'), userIds: idsOf('user') };
}

/** The same lock as every change of boards: no record is written to them meanwhile. */
export async function lockBoards(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select lock_definitions(${accountId})`);
}

export async function countOthersRecords(tx: Tx, accountId: string, kanbanIds: string[]): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from records
    where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[]) and created_by <> 'demo'`);
  return row!.count;
}

export async function isOneOfThemDefault(tx: Tx, accountId: string, kanbanIds: string[]): Promise<boolean> {
  const rows = await tx.query(sql`
    select from kanbans where account_id = ${accountId} and is_default and id = any(${kanbanIds}::uuid[])`);
  return rows.length > 0;
}

/** Records on other boards that were given to people of the demo. */
export async function selectAssignedElsewhere(
  tx: Tx,
  accountId: string,
  { kanbanIds, userIds }: DemoObjects,
): Promise<{ id: string; assignedUserIds: string[] }[]> {
  return tx.query<{ id: string; assignedUserIds: string[] }>(sql`
    select id, assigned_user_ids::text[] as "assignedUserIds" from records
    where account_id = ${accountId} and assigned_user_ids && ${userIds}::uuid[] and assigned_user_ids <> '{}'
      and not kanban_id = any(${kanbanIds}::uuid[])`);
}

/** Statuses, fields, groups, members and logins go with their board or user. */
export async function deleteDemo(
  tx: Tx,
  accountId: string,
  { all, kanbanIds, userIds }: DemoObjects,
): Promise<{ records: number }> {
  // With a tombstone each, so that a running service's search forgets them at once.
  const records = await tx.query(sql`
    with gone as (
      delete from records where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])
      returning account_id, id)
    insert into record_deletions (account_id, record_id) select account_id, id from gone returning 1`);
  await tx.query(
    sql`delete from events where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])`,
  );
  await tx.query(sql`delete from kanbans where account_id = ${accountId} and id = any(${kanbanIds}::uuid[])`);
  await tx.query(sql`delete from users where account_id = ${accountId} and id = any(${userIds}::uuid[])`);
  await tx.query(sql`
    delete from audit_log where account_id = ${accountId} and (actor_id = 'demo' or target_id = any(${all}::text[]))`);
  return { records: records.length };
}
