/** What has changed in an account's records since a snapshot, or everything without one. */
import type { Reader } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface SourceRow {
  id: string;
  kanbanId: string;
  status: string;
  title: string;
  customFields: { [fieldId: string]: unknown };
  assignedUserIds: string[];
  labelIds: string[];
  createdAt: number;
  updatedAt: number;
  /** Where the record was put by hand. */
  placeAt: number | null;
  placeId: string | null;
}

/** A row in the order of changes. */
export interface Change {
  id: string;
  xid: string;
}

export interface Changes {
  position: string;
  readAt: number;
  definitionsVersion: number;
  emptiedKanbanIds: string[];
  /** At most `limit`, like `changed`; if there are as many, more may follow. */
  removed: Change[];
  changed: (SourceRow & { xid: string })[];
}

/** The time of the database. */
const readAt = sql`(extract(epoch from now()) * 1000)::float8 as "readAt"`;

/**
 * One statement, so that everything is of one snapshot, which is the position of the next read. A row that was not
 * visible in the earlier snapshot is new, however old its transaction id is. The bound is repeated in each condition:
 * joined from a `with` it became a filter over all records of the account (19 ms with 20,000 of them).
 */
export async function selectChanges(
  db: Reader,
  accountId: string,
  since: string,
  limit: number,
): Promise<Changes | null> {
  const [row] = await db.query<Changes>(sql`
    select pg_current_snapshot()::text as position, ${readAt}, a.definitions_version as "definitionsVersion",
      array(select k.id from kanbans k
        where k.account_id = ${accountId}
          and not pg_visible_in_snapshot(k.fields_changed_xid, ${since}::pg_snapshot))::text[] as "emptiedKanbanIds",
      (select coalesce(json_agg(d), '[]') from (
        select d.record_id as id, d.changed_xid::text as xid
        from record_deletions d
        where d.account_id = ${accountId} and d.changed_xid >= pg_snapshot_xmin(${since}::pg_snapshot)
          and not pg_visible_in_snapshot(d.changed_xid, ${since}::pg_snapshot)
        order by d.changed_xid, d.record_id limit ${limit}) d) as removed,
      (select coalesce(json_agg(r), '[]') from (
        select r.id, r.kanban_id as "kanbanId", r.status, r.title, r.custom_fields as "customFields",
          r.assigned_user_ids as "assignedUserIds", r.label_ids as "labelIds",
          r.created_at as "createdAt", r.updated_at as "updatedAt",
          r.place_at as "placeAt", r.place_id as "placeId", r.changed_xid::text as xid
        from records r
        where r.account_id = ${accountId} and r.changed_xid >= pg_snapshot_xmin(${since}::pg_snapshot)
          and not pg_visible_in_snapshot(r.changed_xid, ${since}::pg_snapshot)
        order by r.changed_xid, r.id limit ${limit}) r) as changed
    from accounts a where a.id = ${accountId}`);
  return row ?? null;
}

/** The rest of a long list of deletions. */
export async function selectMoreRemoved(
  db: Reader,
  accountId: string,
  since: string,
  after: Change,
  limit: number,
): Promise<Change[]> {
  return db.query<Change>(sql`
    select record_id as id, changed_xid::text as xid
    from record_deletions
    where account_id = ${accountId} and (changed_xid, record_id) > (${after.xid}::xid8, ${after.id}::uuid)
      and not pg_visible_in_snapshot(changed_xid, ${since}::pg_snapshot)
    order by changed_xid, record_id limit ${limit}`);
}

/** The rest of a long list of changes. */
export async function selectMoreChanges(
  db: Reader,
  accountId: string,
  since: string,
  after: Change,
  limit: number,
): Promise<(SourceRow & { xid: string })[]> {
  return db.query<SourceRow & { xid: string }>(sql`
    select id, kanban_id as "kanbanId", status, title, custom_fields as "customFields",
      assigned_user_ids::text[] as "assignedUserIds", label_ids::text[] as "labelIds",
      created_at as "createdAt", updated_at as "updatedAt",
      place_at as "placeAt", place_id as "placeId", changed_xid::text as xid
    from records
    where account_id = ${accountId} and (changed_xid, id) > (${after.xid}::xid8, ${after.id}::uuid)
      and not pg_visible_in_snapshot(changed_xid, ${since}::pg_snapshot)
    order by changed_xid, id limit ${limit}`);
}

/** The title and some fields of the records of some boards, in the order of their ids. */
export async function selectFields(
  db: Reader,
  accountId: string,
  fieldIds: readonly string[],
  kanbanIds: readonly string[],
  after: string | null,
  limit: number,
): Promise<Pick<SourceRow, 'id' | 'kanbanId' | 'title' | 'customFields'>[]> {
  return db.query(
    sql`
    select id, kanban_id as "kanbanId", title, coalesce(
      (select jsonb_object_agg(name, custom_fields -> name) from unnest(${fieldIds}::text[]) as name
        where custom_fields ? name), '{}') as "customFields"
    from records
    where account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid)
      and kanban_id = any(${kanbanIds}::uuid[])
    order by id limit ${limit}`,
    { timeoutMs: 30_000 },
  );
}

export async function selectPosition(
  db: Reader,
  accountId: string,
): Promise<Pick<Changes, 'position' | 'readAt' | 'definitionsVersion'> | null> {
  const [row] = await db.query<Pick<Changes, 'position' | 'readAt' | 'definitionsVersion'>>(sql`
    select pg_current_snapshot()::text as position, ${readAt}, definitions_version as "definitionsVersion"
    from accounts where id = ${accountId}`);
  return row ?? null;
}

/** All records, or those of some boards, in the order of their ids. */
export async function selectAll(
  db: Reader,
  accountId: string,
  kanbanIds: string[] | null,
  after: string | null,
  limit: number,
): Promise<SourceRow[]> {
  return db.query<SourceRow>(
    sql`
    select id, kanban_id as "kanbanId", status, title, custom_fields as "customFields",
      assigned_user_ids::text[] as "assignedUserIds", label_ids::text[] as "labelIds",
      created_at as "createdAt", updated_at as "updatedAt",
      place_at as "placeAt", place_id as "placeId"
    from records
    where account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid)
      and (${kanbanIds}::uuid[] is null or kanban_id = any(${kanbanIds}::uuid[]))
    order by id limit ${limit}`,
    { timeoutMs: 30_000 },
  );
}
