import type { CrmRecord } from '../../../contract/crm/records.ts';
import { type Column, type Columns, tableOf } from '../../platform/db/columns.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, limitTo, Sql, sql } from '../../platform/db/sql.ts';
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

/** What is read, by column. */
const selected = {
  account_id: 'account_id',
  id: 'id',
  kanban_id: 'kanban_id',
  title: 'title',
  status: 'status',
  custom_fields: 'custom_fields',
  assigned_user_ids: 'assigned_user_ids::text[]',
  label_ids: 'label_ids::text[]',
  channel_id: 'channel_id',
  created_by: 'created_by',
  updated_by: 'updated_by',
  created_at: 'created_at',
  updated_at: 'updated_at',
  client_id: 'client_id',
  unverified_fields: 'unverified_fields::text[]',
} satisfies { [Column in keyof RecordRow]: string };

export const recordColumns = new Sql([Object.values(selected).join(', ')], []);

/**
 * Four columns have other names than in the table: a statement's `order by` would take the texts for the columns. A list
 * without ids is null, which is sent and read faster than its text.
 */
export const recordJsonColumns = sql`account_id, id, kanban_id, title, status, custom_fields::text as fields_json,
  nullif(assigned_user_ids, '{}')::text as assigned, nullif(label_ids, '{}')::text as labels, channel_id, created_by,
  updated_by, created_at, updated_at, client_id, nullif(unverified_fields, '{}')::text as unverified`;

export function toRecord(row: RecordRow): CrmRecord {
  const { unverifiedFieldIds, ...record }: Required<CrmRecord> = {
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
    unverifiedFieldIds: row.unverified_fields,
  };
  return unverifiedFieldIds.length > 0 ? { ...record, unverifiedFieldIds } : record;
}

/** Titles that differ only in case or outer white space are the same for duplicate prevention. */
const comparedTitle = (title: string) => title.trim().toLowerCase();

export const titleHash = (title: string): Buffer => sha256(comparedTitle(title));

/** Of a record that stays as it was created. */
const fixedColumns = {
  accountId: ['account_id', 'uuid'],
  recordId: ['id', 'uuid'],
  kanbanId: ['kanban_id', 'uuid'],
  channelId: ['channel_id', 'text'],
  createdBy: ['created_by', 'text'],
  createdAt: ['created_at', 'bigint'],
  clientId: ['client_id', 'text'],
} as const;

const changingColumns: Columns<Omit<CrmRecord, keyof typeof fixedColumns>> = {
  title: ['title', 'text'],
  status: ['status', 'text'],
  customFields: ['custom_fields', 'jsonb'],
  assignedUserIds: ['assigned_user_ids', 'uuid[]'],
  labelIds: ['label_ids', 'uuid[]'],
  updatedBy: ['updated_by', 'text'],
  updatedAt: ['updated_at', 'bigint'],
  unverifiedFieldIds: [
    { name: 'unverified_fields', type: 'uuid[]', value: ({ unverifiedFieldIds = [] }) => unverifiedFieldIds },
  ],
};

/** Follow from the others. */
const derivedColumns: Column<CrmRecord>[] = [
  {
    name: 'lookup_keys',
    type: 'bigint[]',
    value: ({ customFields, unverifiedFieldIds }) =>
      lookupKeys(customFields as FieldValues, unverifiedFieldIds),
  },
  {
    // Without a channel there are no duplicates, and the index has no entry. `\\x` is how a byte string is spelled.
    name: 'title_hash',
    type: 'bytea',
    value: ({ title, channelId }) => (channelId === null ? '\\x' : `\\x${titleHash(title).toString('hex')}`),
  },
];

const newRecords = tableOf<CrmRecord>({ ...fixedColumns, ...changingColumns }, derivedColumns);
const changedRecords = tableOf<Omit<CrmRecord, keyof typeof fixedColumns>, CrmRecord>(
  changingColumns,
  derivedColumns,
);

/** New records, whose first events have the sequence 1; part of a larger statement. */
export function recordInsert(records: readonly CrmRecord[]): Sql {
  return sql`
    insert into records (${newRecords.names}, event_sequence)
    select ${newRecords.names}, 1 from ${newRecords.rows(records)}`;
}

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
export async function lockDuplicates(
  tx: Tx,
  accountId: string,
  keys: readonly DuplicateKey[],
): Promise<void> {
  const locks = keys.map((key) => duplicateLock(accountId, key)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  await tx.query(
    sql`select pg_advisory_xact_lock(number) from unnest(${locks.map(String)}::bigint[]) as keys (number)`,
  );
}

function duplicateLock(accountId: string, key: DuplicateKey): bigint {
  const text = `${accountId}\n${key.kanbanId}\n${key.channelId}\n${comparedTitle(key.title)}`;
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
export async function insertRecordEvent(tx: Tx, accountId: string, event: FrozenEvent): Promise<void> {
  await tx.query(sql`
    with change as (
      update records set event_sequence = ${event.sequence}
      where account_id = ${accountId} and id = ${event.subjectId} returning 1
    ), ${insertEvents(tx, [event], 'change')}
    select 1 from change`);
}

/** For a change of several records: locks them in an order that is the same for everyone. */
export async function lockRecords(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    select 1 from records where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for update`);
}

/** The sequence also moves without an event: live clients learn of the change by it. */
export async function updateRecord(
  tx: Tx,
  accountId: string,
  record: CrmRecord,
  events: FrozenEvent[],
  moved: StatusChange | null,
): Promise<void> {
  await tx.query(sql`
    with change as (
      update records t set (${changedRecords.names}) = row(${changedRecords.namesOf('g')}),
        changed_xid = pg_current_xact_id(), event_sequence = event_sequence + ${Math.max(1, events.length)}
      from ${changedRecords.rows([record], 'g')}
      where t.account_id = ${accountId} and t.id = ${record.recordId}
      returning 1
    ), ${moved ? sql`${statusChanges(accountId, record.kanbanId, [moved])},` : empty}
    ${insertEvents(tx, events, 'change')}
    select 1 from change`);
}

export async function deleteRecord(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  end: StatusChange,
  event: FrozenEvent,
): Promise<void> {
  await tx.query(sql`
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
