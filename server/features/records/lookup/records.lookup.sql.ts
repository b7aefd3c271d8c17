/** Records by their ids and by their look-up keys, for search and for live updates. */

import type { CrmRecord } from '../../../../contract/crm/records.ts';
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { empty, limitTo, sql } from '../../../platform/db/sql.ts';
import type { RecordJsonRow } from '../records.json.ts';
import { type RecordRow, recordColumns, recordJsonColumns, toRecord } from '../records.sql.ts';
import type { FieldValues } from '../records.values.ts';

export async function selectRecordsByIds(
  db: Reader,
  accountId: string,
  ids: string[],
): Promise<Map<string, RecordJsonRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<RecordJsonRow>(sql`
    select ${recordJsonColumns} from records where account_id = ${accountId} and id = any(${ids}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Of several accounts at once, for the live feed: by account and id. */
export async function selectRecordsByKeys(
  db: Reader,
  keys: readonly { accountId: string; id: string }[],
): Promise<CrmRecord[]> {
  const rows = await db.query<RecordRow>(sql`
    select ${recordColumns}
    from unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as wanted (account, record)
    join records on account_id = account and id = record`);
  return rows.map(toRecord);
}

export interface LookedUp {
  /** Of the definitions needed to read the result; null if nothing was found. */
  definitionsVersion: number | null;
  total: number;
  rows: RecordJsonRow[];
}

/**
 * Newest first, with the total: usually the page itself shows it. The version of the definitions is part of the same
 * statement, because a second one would cost as much as the lookup.
 *
 * Written so that PostgreSQL keeps its plan (D-415): planning took half of its time. The planner does not see the key,
 * so a plan for all keys seems as good as one for this key, and only the index on keys fits: a plan by another one
 * would read the whole board.
 */
export async function selectByLookupKey(
  db: Reader,
  accountId: string,
  kanbanId: string,
  key: string,
  offset: number,
  limit: number,
): Promise<LookedUp> {
  const found = sql`from records
    where account_id is not distinct from ${accountId}::uuid and kanban_id is not distinct from ${kanbanId}::uuid
      and lookup_keys @> array[(select ${key}::bigint)]`;
  const rows = await db.query<RecordJsonRow & { version: number }>(sql`
    select (select definitions_version from accounts where id = ${accountId}) as version, ${recordJsonColumns} ${found}
    order by created_at + 0 desc, id desc ${limitTo(limit)} ${offset === 0 ? empty : sql`offset ${offset}`}`);
  const definitionsVersion = rows[0]?.version ?? null;
  const isLastPage = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLastPage) return { definitionsVersion, total: offset + rows.length, rows };
  const [count] = await db.query<{ total: number }>(sql`select count(*)::int as total ${found}`);
  return { definitionsVersion, total: count!.total, rows };
}

/** Every record with the key: for a look-up that is combined with other conditions. */
export async function selectIdsByLookupKey(db: Reader, accountId: string, key: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from records where account_id = ${accountId} and lookup_keys @> array[${key}::bigint]`);
  return rows.map(({ id }) => id);
}

const textsAtATime = 500;

/** The texts of a field, or the titles, of some records. */
export async function selectTexts(
  db: Reader,
  accountId: string,
  field: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const column = field === 'title' ? sql`title` : sql`custom_fields ->> ${field}::text`;
  for (let from = 0; from < ids.length; from += textsAtATime) {
    const rows = await db.query<{ id: string; text: string | null }>(sql`
      select id, ${column} as text from records
      where account_id = ${accountId} and id = any(${ids.slice(from, from + textsAtATime)}::uuid[])`);
    for (const { id, text } of rows) if (text !== null) texts.set(id, text);
  }
  return texts;
}

/** No process reads an index from a file that is older than seven days. */
export async function pruneDeletions(db: Db): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`delete from record_deletions where deleted_at < now() - interval '8 days'`, {
      timeoutMs: 60_000,
    }),
  );
}

export async function countRecords(db: Reader): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from records`, {
    timeoutMs: 600_000,
  });
  return row!.count;
}

export interface KeyedRecord {
  accountId: string;
  id: string;
  customFields: FieldValues;
  unverifiedFieldIds: string[];
  lookupKeys: string[];
  xid: string;
}

/** In the order of accounts and ids. */
export async function selectLookupKeys(
  db: Reader,
  after: { accountId: string; id: string } | null,
  limit: number,
): Promise<KeyedRecord[]> {
  return db.query<KeyedRecord>(
    sql`
    select account_id as "accountId", id, custom_fields as "customFields", lookup_keys::text[] as "lookupKeys",
      unverified_fields::text[] as "unverifiedFieldIds", changed_xid::text as xid
    from records where ${isServedHere(sql`records.account_id`)}
    ${after ? sql`and (account_id, id) > (${after.accountId}::uuid, ${after.id}::uuid)` : empty}
    order by account_id, id limit ${limit}`,
    { timeoutMs: 60_000 },
  );
}

/** False if the record was changed since it was read: that change wrote the right keys. */
export async function updateLookupKeys(
  tx: Tx,
  accountId: string,
  record: { id: string; xid: string },
  keys: string[],
): Promise<boolean> {
  const rows = await tx.query(sql`
    update records set lookup_keys = ${keys}::bigint[]
    where account_id = ${accountId} and id = ${record.id} and changed_xid = ${record.xid}::xid8 returning 1`);
  return rows.length > 0;
}
