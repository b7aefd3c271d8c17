import type { Record } from '../../../contract/records.ts';
import type { Db, Reader } from '../../platform/db.ts';
import { empty, sql } from '../../platform/sql.ts';
import { type RecordRow, recordColumns, toRecord } from '../records/records.ts';

export async function selectRecordsByIds(
  db: Reader,
  accountId: string,
  ids: string[],
): Promise<Map<string, Record>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<RecordRow>(sql`
    select ${recordColumns} from records where account_id = ${accountId} and id = any(${ids}::uuid[])`);
  return new Map(rows.map((row) => [row.id, toRecord(row)]));
}

/** Newest first, with the number of all. */
export async function selectByLookupKey(
  db: Reader,
  accountId: string,
  kanbanId: string,
  key: string,
  offset: number,
  limit: number,
): Promise<{ total: number; records: Record[] }> {
  const rows = await db.query<RecordRow & { total: number }>(sql`
    select ${recordColumns}, count(*) over ()::int as total from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and lookup_keys @> array[${key}::bigint]
    order by created_at desc, id desc limit ${limit} offset ${offset}`);
  if (rows.length > 0 || offset === 0) return { total: rows[0]?.total ?? 0, records: rows.map(toRecord) };
  const [count] = await db.query<{ total: number }>(sql`
    select count(*)::int as total from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and lookup_keys @> array[${key}::bigint]`);
  return { total: count?.total ?? 0, records: [] };
}

/** No process keeps an index for longer than this without reading on. */
export async function pruneDeletions(db: Db): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`delete from record_deletions where deleted_at < now() - interval '1 day'`, {
      timeoutMs: 60_000,
    }),
  );
}

/** For reindex: records in the order of their ids, with the keys they have. */
export async function selectLookupKeys(
  db: Reader,
  accountId: string | null,
  after: { accountId: string; id: string } | null,
  limit: number,
): Promise<{ accountId: string; id: string; customFields: { [id: string]: never }; lookupKeys: string[] }[]> {
  return db.query(sql`
    select account_id as "accountId", id, custom_fields as "customFields", lookup_keys::text[] as "lookupKeys"
    from records
    where (${accountId}::uuid is null or account_id = ${accountId}::uuid)
      ${after ? sql`and (account_id, id) > (${after.accountId}::uuid, ${after.id}::uuid)` : empty}
    order by account_id, id limit ${limit}`);
}
