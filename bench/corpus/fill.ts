/** Inserts the rows that every scenario needs, without the service: this is not measured. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type FieldValues, lookupKeys } from '../../server/features/records/records.ts';
import { newId } from '../../server/platform/ids.ts';
import type { CorpusWorkspace } from '../api.ts';
import { customers } from './corpora.ts';
import type { Random } from './random.ts';
import { sampleRecord } from './sample-records.ts';

export interface FillTarget {
  accountId: string;
  kanbanId: string;
  fieldIds: readonly string[];
}

export interface Row {
  accountId: string;
  id: string;
  kanbanId: string;
  title: string;
  status: string;
  customFields: FieldValues;
  createdAt: number;
  updatedAt: number;
}

const rowsAtATime = 2_000;
const rowsPerTurn = 40;

/** Ids in the order of their creation, one second apart until now. */
export async function fillRecords(
  pool: Pool,
  { accountId, kanbanId, fieldIds }: FillTarget,
  count: number,
  random: Random,
): Promise<string[]> {
  const began = Date.now() - count * 1000;
  function* rows(): Generator<Row> {
    for (let index = 0; index < count; index++) {
      const createdAt = began + index * 1000;
      const record = sampleRecord(random, fieldIds);
      yield { accountId, id: newId(createdAt), kanbanId, createdAt, updatedAt: createdAt, ...record };
    }
  }
  return insertRows(pool, rows());
}

/** Ids in the order of the corpus. */
export async function fillCorpus(
  pool: Pool,
  { accountId, kanbanIds, fieldIds }: CorpusWorkspace,
  seed: number,
  count: number,
  boards?: number,
  corpus = customers,
): Promise<string[]> {
  function* rows(): Generator<Row> {
    for (const record of corpus.records(seed, count, boards)) {
      const values = Object.entries(record.customFields).map(([id, value]) => [fieldIds.get(id)!, value]);
      yield {
        ...record,
        accountId,
        kanbanId: kanbanIds.get(record.kanbanId)!,
        customFields: Object.fromEntries(values),
      };
    }
  }
  return insertRows(pool, rows());
}

/**
 * The next rows are built while PostgreSQL stores these; the loop yields now and then so that the connection can
 * send.
 */
export async function insertRows(pool: Pool, all: Iterable<Row>): Promise<string[]> {
  const ids: string[] = [];
  let columns = emptyColumns();
  let storing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await storing;
    storing = insertBatch(pool, columns);
    // The next await reports a failure; until then it must not count as unhandled.
    storing.catch(() => undefined);
    columns = emptyColumns();
  };
  for (const row of all) {
    ids.push(row.id);
    addRow(columns, row);
    if (ids.length % rowsAtATime === 0) await flush();
    if (ids.length % rowsPerTurn === 0) await nextTurn();
  }
  if (ids.length % rowsAtATime > 0) await flush();
  await storing;
  await pool.query('vacuum analyze records');
  return ids;
}

const emptyColumns = (): unknown[][] => Array.from({ length: 10 }, () => []);

function addRow(columns: unknown[][], row: Row): void {
  const values = [
    row.accountId,
    row.id,
    row.kanbanId,
    row.title,
    createHash('sha256').update(row.title.toLowerCase()).digest(),
    row.status,
    JSON.stringify(row.customFields),
    row.createdAt,
    row.updatedAt,
    `{${lookupKeys(row.customFields).join()}}`,
  ];
  for (const [i, value] of values.entries()) columns[i]!.push(value);
}

async function insertBatch(pool: Pool, values: readonly unknown[]): Promise<void> {
  await pool.query(
    `insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
      channel_id, created_by, updated_by, created_at, updated_at, event_sequence, lookup_keys)
    select r.account_id, r.id, r.kanban_id, r.title, r.title_hash, r.status, r.custom_fields::jsonb, '{}', null, 'bench',
      'bench', r.created_at, r.updated_at, 1, r.lookup_keys::bigint[]
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
      $10::text[])
      as r (account_id, id, kanban_id, title, title_hash, status, custom_fields, created_at, updated_at, lookup_keys)`,
    [...values],
  );
}

/**
 * What a bare service with the same three endpoints would need: the columns of a record on the wire, the key, and the
 * one index for its list. The product's other indexes, its foreign keys and its event are its own cost.
 */
export async function createFloorTables(pool: Pool): Promise<void> {
  await pool.query(`
    create table floor_records as
      select account_id, id, kanban_id, title, status, custom_fields, assigned_user_ids, channel_id, created_by,
        updated_by, created_at, updated_at
      from records`);
  await pool.query('alter table floor_records add primary key (account_id, id)');
  await pool.query('create index on floor_records (account_id, created_at desc, id desc)');
  await pool.query(`
    create table floor_sessions (account_id uuid, session_id text, last_message_at bigint, primary key (account_id, session_id));
    create table floor_messages (account_id uuid, id uuid, session_id text, content text, created_at bigint, primary key (account_id, id));
    create table floor_jobs (account_id uuid, id uuid, message_id uuid, primary key (account_id, id))`);
  await pool.query('vacuum analyze floor_records');
}
