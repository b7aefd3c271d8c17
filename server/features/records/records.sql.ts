import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, limitTo, type Sql, sql } from '../../platform/db/sql.ts';
import { type FrozenEvent, insertEvents } from '../../platform/events/outbox.ts';
import { sha256 } from '../../platform/secrets/secrets.ts';
import { lookupKey, lookupKeys } from './lookup/records.lookup.ts';
import type { RecordJsonRow } from './records.json.ts';
import { type StatusChange, statusChanges } from './records.status-changes.sql.ts';
import type { FieldValues } from './records.values.ts';

export interface RecordRow {
  account_id: string;
  id: string;
  kanban_id: string;
  title: string;
  status: string;
  custom_fields: FieldValues;
  assigned_user_ids: string[];
  label_ids: string[];
  channel_id: string | null;
  created_by: string;
  updated_by: string;
  created_at: number;
  updated_at: number;
  client_id: string | null;
  unverified_fields: string[];
}

export interface LockedRecord {
  record: CrmRecord;
  eventSequence: number;
}

export const recordColumns = sql`account_id, id, kanban_id, title, status, custom_fields, assigned_user_ids::text[],
  label_ids::text[], channel_id, created_by, updated_by, created_at, updated_at, client_id,
  unverified_fields::text[]`;

/** Four columns have other names than in the table: a statement's `order by` would take the texts for the columns. */
export const recordJsonColumns = sql`account_id, id, kanban_id, title, status, custom_fields::text as fields_json,
  assigned_user_ids::text as assigned, label_ids::text as labels, channel_id, created_by, updated_by, created_at, updated_at,
  client_id, unverified_fields::text as unverified`;

export function toRecord(row: RecordRow): CrmRecord {
  return {
    recordId: row.id,
    accountId: row.account_id,
    kanbanId: row.kanban_id,
    title: row.title,
    status: row.status,
    customFields: row.custom_fields,
    assignedUserIds: row.assigned_user_ids,
    labelIds: row.label_ids,
    channelId: row.channel_id,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    clientId: row.client_id,
    ...(row.unverified_fields.length > 0 && { unverifiedFieldIds: row.unverified_fields }),
  };
}

/** Titles that differ only in case or outer white space are the same for duplicate prevention. */
export function titleHash(title: string): Buffer {
  return sha256(title.trim().toLowerCase());
}

/** Without a channel there are no duplicates, and the index has no entry. */
function duplicateHash({ title, channelId }: CrmRecord): Buffer {
  return channelId === null ? noHash : titleHash(title);
}

const noHash = Buffer.alloc(0);

/** New records of one account, whose first events have the sequence 1; part of a larger statement. */
export function recordInsert(accountId: string, records: readonly CrmRecord[]): Sql {
  return sql`
    insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
      channel_id, created_by, updated_by, created_at, updated_at, event_sequence, lookup_keys, label_ids,
      unverified_fields, client_id)
    select ${accountId}::uuid, r.id, r.kanban_id, r.title, r.title_hash, r.status, r.custom_fields,
      r.assigned_user_ids, r.channel_id, r.created_by, r.created_by, r.created_at, r.created_at, 1, r.lookup_keys,
      r.label_ids, r.unverified_fields, r.client_id
    from ${records.length === 1 ? oneRow(records[0]!) : manyRows(records)}`;
}

function oneRow(record: CrmRecord): Sql {
  return sql`(values (${record.recordId}::uuid, ${record.kanbanId}::uuid, ${record.title}::text,
    ${duplicateHash(record)}::bytea, ${record.status}::text, ${JSON.stringify(record.customFields)}::jsonb,
    ${record.assignedUserIds}::uuid[], ${record.channelId}::text, ${record.createdBy}::text,
    ${record.createdAt}::bigint, ${keysOf(record)}::bigint[],
    ${record.labelIds}::uuid[], ${record.unverifiedFieldIds ?? []}::uuid[], ${record.clientId}::text))
    as r (id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids, channel_id, created_by,
      created_at, lookup_keys, label_ids, unverified_fields, client_id)`;
}

function manyRows(records: readonly CrmRecord[]): Sql {
  const rows = records.map((record) => ({
    id: record.recordId,
    kanban_id: record.kanbanId,
    title: record.title,
    // How a byte string is spelled.
    title_hash: `\\x${duplicateHash(record).toString('hex')}`,
    status: record.status,
    custom_fields: record.customFields,
    assigned_user_ids: record.assignedUserIds,
    channel_id: record.channelId,
    created_by: record.createdBy,
    created_at: record.createdAt,
    lookup_keys: keysOf(record),
    label_ids: record.labelIds,
    unverified_fields: record.unverifiedFieldIds ?? [],
    client_id: record.clientId,
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, kanban_id uuid, title text,
    title_hash bytea, status text, custom_fields jsonb, assigned_user_ids uuid[], channel_id text, created_by text,
    created_at bigint, lookup_keys bigint[], label_ids uuid[], unverified_fields uuid[],
    client_id text)`;
}

const keysOf = ({ customFields, unverifiedFieldIds }: CrmRecord) =>
  lookupKeys(customFields as FieldValues, unverifiedFieldIds);

export interface DuplicateKey {
  kanbanId: string;
  channelId: string;
  title: string;
}

/**
 * Creates with the same channel and title are serialised, so that the second one finds the first one's record. A
 * unique index would not work: a title may be changed into one that another record has. Several keys are locked in an
 * order that is the same for everyone, so that two batches cannot deadlock.
 */
export function lockDuplicates(tx: Tx, accountId: string, keys: readonly DuplicateKey[]): void {
  const locks = keys.map((key) => duplicateLock(accountId, key)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  tx.send(
    sql`select pg_advisory_xact_lock(number) from unnest(${locks.map(String)}::bigint[]) as keys (number)`,
  );
}

function duplicateLock(accountId: string, key: DuplicateKey): bigint {
  const text = `${accountId}\n${key.kanbanId}\n${key.channelId}\n${key.title.trim().toLowerCase()}`;
  return sha256(text).readBigInt64BE(0);
}

/**
 * The board is compared, and the duplicates are ordered (`created_at + 0`), in a way that no other index serves: the
 * plan is cached, and one made while the table was empty would otherwise read the whole board for each lookup.
 */
export const isOnKanban = (kanbanId: string) => sql`kanban_id::text = ${kanbanId}::text`;

export async function findDuplicate(
  db: Reader,
  accountId: string,
  key: DuplicateKey,
): Promise<CrmRecord | null> {
  const [row] = await db.query<RecordRow>(sql`
    select ${recordColumns} from records
    where account_id = ${accountId} and title_hash = ${titleHash(key.title)} and channel_id = ${key.channelId}
      and ${isOnKanban(key.kanbanId)}
    order by created_at + 0, id limit 1`);
  return row ? toRecord(row) : null;
}

export async function findRecord(db: Reader, accountId: string, id: string): Promise<CrmRecord | null> {
  const [row] = await db.query<RecordRow>(
    sql`select ${recordColumns} from records where account_id = ${accountId} and id = ${id}`,
  );
  return row ? toRecord(row) : null;
}

export async function findRecordJson(
  db: Reader,
  accountId: string,
  id: string,
): Promise<RecordJsonRow | undefined> {
  const [row] = await db.query<RecordJsonRow>(
    sql`select ${recordJsonColumns} from records where account_id = ${accountId} and id = ${id}`,
  );
  return row;
}

export async function lockRecord(tx: Tx, accountId: string, id: string): Promise<LockedRecord | null> {
  const [row] = await tx.query<RecordRow & { event_sequence: number }>(
    sql`select ${recordColumns}, event_sequence from records where account_id = ${accountId} and id = ${id} for update`,
  );
  return row ? { record: toRecord(row), eventSequence: row.event_sequence } : null;
}

/** An event about a part of the record, such as a task: it counts on the record, which itself does not change. */
export function insertRecordEvent(tx: Tx, accountId: string, event: FrozenEvent): void {
  tx.send(sql`
    with change as (
      update records set event_sequence = ${event.sequence}
      where account_id = ${accountId} and id = ${event.subjectId} returning 1
    ), ${insertEvents(tx, [event], 'change')}
    select 1 from change`);
}

/** For a change of several records: locks them in an order that is the same for everyone. */
export function lockRecords(tx: Tx, accountId: string, ids: readonly string[]): void {
  tx.send(sql`
    select 1 from records where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for update`);
}

/** The sequence also moves without an event: live clients learn of the change by it. */
export function updateRecord(
  tx: Tx,
  accountId: string,
  record: CrmRecord,
  events: FrozenEvent[],
  moved: StatusChange | null,
): void {
  tx.send(sql`
    with change as (
      update records set title = ${record.title}, title_hash = ${duplicateHash(record)}, status = ${record.status},
        custom_fields = ${JSON.stringify(record.customFields)}, assigned_user_ids = ${record.assignedUserIds}::uuid[],
        label_ids = ${record.labelIds}::uuid[], updated_by = ${record.updatedBy}, updated_at = ${record.updatedAt},
        unverified_fields = ${record.unverifiedFieldIds ?? []}::uuid[],
        lookup_keys = ${keysOf(record)}::bigint[], changed_xid = pg_current_xact_id(),
        event_sequence = event_sequence + ${Math.max(1, events.length)}
      where account_id = ${accountId} and id = ${record.recordId}
      returning 1
    ), ${moved ? sql`${statusChanges(accountId, record.kanbanId, [moved])},` : empty}
    ${insertEvents(tx, events, 'change')}
    select 1 from change`);
}

export function deleteRecord(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  end: StatusChange,
  event: FrozenEvent,
): void {
  tx.send(sql`
    with change as (
      delete from records where account_id = ${accountId} and id = ${end.recordId} returning account_id, id
    ),
    tombstone as (insert into record_deletions (account_id, record_id) select account_id, id from change),
    ${statusChanges(accountId, kanbanId, [end])},
    ${insertEvents(tx, [event], 'change')}
    select 1 from change`);
}

export interface RecordFilter {
  kanbanId?: string;
  status?: string;
  assignedUserId?: string;
  field?: { id: string; value: string };
  /** What a text found; undefined: no text was given. */
  ids?: string[];
  /** Null: no restriction. */
  visibleKanbanIds: string[] | null;
}

interface ListPlace {
  createdAt: number;
  id: string;
}

export async function selectRecords(
  db: Reader,
  accountId: string,
  filter: RecordFilter,
  after: ListPlace | null,
  limit: number,
): Promise<CrmRecord[]> {
  const rows = await db.query<RecordRow>(sql`
    select ${recordColumns} ${listed(accountId, filter, after, limit)}`);
  return rows.map(toRecord);
}

export function selectRecordsJson(
  db: Reader,
  accountId: string,
  filter: RecordFilter,
  after: ListPlace | null,
  limit: number,
): Promise<RecordJsonRow[]> {
  return db.query<RecordJsonRow>(sql`
    select ${recordJsonColumns} ${listed(accountId, filter, after, limit)}`);
}

function listed(accountId: string, filter: RecordFilter, after: ListPlace | null, limit: number): Sql {
  return sql`
    from records
    where account_id = ${accountId} ${conditions(filter)}
      ${after ? sql`and (created_at, id) < (${after.createdAt}, ${after.id})` : empty}
    order by created_at desc, id desc ${limitTo(limit)}`;
}

function conditions(filter: RecordFilter): Sql {
  const { kanbanId, status, assignedUserId, field, ids, visibleKanbanIds } = filter;
  // The empty-array condition lets the planner use the partial index on assignments.
  return sql`
    ${kanbanId === undefined ? empty : sql`and kanban_id = ${kanbanId}`}
    ${status === undefined ? empty : sql`and status = ${status}`}
    ${
      assignedUserId === undefined
        ? empty
        : sql`and assigned_user_ids @> array[${assignedUserId}::uuid] and assigned_user_ids <> '{}'`
    }
    ${field === undefined ? empty : sql`and lookup_keys @> array[${lookupKey(field.id, field.value)}::bigint]`}
    ${ids === undefined ? empty : sql`and id = any(${ids}::uuid[])`}
    ${visibleKanbanIds === null ? empty : sql`and kanban_id = any(${visibleKanbanIds}::uuid[])`}`;
}

/** Changes nothing visible, so it needs no transaction of ours. */
export async function emptyLookupList(db: Reader): Promise<void> {
  await db.query(sql`select gin_clean_pending_list('records_lookup')`, { timeoutMs: 60_000 });
}

/** Without events, as if they had never been. With a tombstone each, so that a running service's search drops them at once. */
export async function eraseRecords(tx: Tx, accountId: string, ids: readonly string[]): Promise<number> {
  const rows = await tx.query(
    sql`
    with gone as (
      delete from records where account_id = ${accountId} and id = any(${ids}::uuid[]) returning account_id, id),
    moves_gone as (
      delete from record_status_changes c using gone g where c.account_id = g.account_id and c.record_id = g.id)
    insert into record_deletions (account_id, record_id) select account_id, id from gone returning 1`,
    { timeoutMs: 60_000 },
  );
  return rows.length;
}
