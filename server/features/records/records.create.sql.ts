// Creates: the record and its event in one statement, which those that come at the same time share.

import type { Record } from '../../../contract/records.ts';
import type { Tx } from '../../platform/db.ts';
import { announce, eventRows, eventsFrom, type FrozenEvent } from '../../platform/outbox.ts';
import { type Sql, sql } from '../../platform/sql.ts';
import { lookupKeys } from './records.lookup.ts';
import { recordInsert } from './records.sql.ts';
import type { FieldValues } from './records.values.ts';

interface NewRecord {
  record: Record;
  event: FrozenEvent;
}

/** False: the definitions have changed, nothing was written. */
export function insertRecord(
  tx: Tx,
  accountId: string,
  record: Record,
  event: FrozenEvent,
  definitionsVersion: number,
): Promise<boolean> {
  announce(tx, [event]);
  const key = `records ${accountId} ${definitionsVersion} ${record.kanbanId} ${record.createdBy}`;
  const statement = (created: readonly NewRecord[]) =>
    created.length === 1
      ? insertOne(accountId, created[0]!, definitionsVersion)
      : insertPlain(accountId, created, definitionsVersion);
  return tx.writeShared({ key: isPlain(record) ? key : record.recordId, statement }, { record, event });
}

/** What has neither a channel nor assigned users, as nearly all creates by the API. */
function isPlain({
  channelId,
  assignedUserIds,
}: Pick<Record, 'channelId' | 'assignedUserIds'>): boolean {
  return channelId === null && assignedUserIds.length === 0;
}

function insertOne(accountId: string, { record, event }: NewRecord, definitionsVersion: number): Sql {
  return sql`
    with change as (
      ${recordInsert(accountId, [record])}
      where (select definitions_are_current(${accountId}, ${definitionsVersion}))
      returning 1
    ), ${eventRows([event], 'change')}
    select 1 from change limit 1`;
}

/** Stands between JSON texts: it never does so within one, since JSON has no control characters. */
const separator = '\x1e';

/**
 * Of one board and one author. A list for each column: as documents for jsonb_to_recordset the rows took PostgreSQL a
 * fifth more (16 records: 85 instead of 65 µs each) and this process the names of all columns; as a list of values they
 * took PostgreSQL as little, but this process a seventh of a create for so many parameters.
 */
function insertPlain(accountId: string, created: readonly NewRecord[], definitionsVersion: number): Sql {
  const { record, event } = created[0]!;
  return sql`
    with given as materialized (
      select id, event_id, created_at, title, status, fields::jsonb as custom_fields, keys::bigint[] as lookup_keys, body
      from rows from (
        unnest(${listOf(created, (one) => one.record.recordId)}::uuid[]),
        unnest(${listOf(created, (one) => one.event.id)}::uuid[]),
        unnest(${listOf(created, (one) => String(one.record.createdAt))}::bigint[]),
        unnest(${created.map((one) => one.record.title)}::text[]),
        unnest(${created.map((one) => one.record.status)}::text[]),
        unnest(string_to_array(${textsOf(created, (one) => JSON.stringify(one.record.customFields))}, ${separator})),
        unnest(string_to_array(${textsOf(created, (one) => keysOf(one.record))}, ${separator})),
        unnest(string_to_array(${textsOf(created, (one) => one.event.body)}, ${separator}))
      ) as r (id, event_id, created_at, title, status, fields, keys, body)
    ), change as (
      insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
        channel_id, created_by, updated_by, created_at, updated_at, event_sequence, lookup_keys)
      select ${accountId}::uuid, id, ${record.kanbanId}::uuid, title, '', status, custom_fields, '{}',
        null, ${record.createdBy}::text, ${record.createdBy}::text, created_at, created_at, 1, lookup_keys
      from given
      where (select definitions_are_current(${accountId}, ${definitionsVersion}))
      returning 1
    ), ${eventsFrom(
      accountId,
      sql`(select event_id, ${event.event}::text, id::text, 1, ${record.kanbanId}::uuid, null::text, created_at,
        null::uuid, null::text, body from given)`,
      'change',
    )}
    select 1 from change limit 1`;
}

/** Ids and numbers need no quotes, which the driver would put around each. */
function listOf(created: readonly NewRecord[], partOf: (one: NewRecord) => string): string {
  return `{${created.map(partOf).join(',')}}`;
}

function textsOf(created: readonly NewRecord[], partOf: (one: NewRecord) => string): string {
  return created.map(partOf).join(separator);
}

function keysOf({ customFields }: Record): string {
  return `{${lookupKeys(customFields as FieldValues).join(',')}}`;
}
