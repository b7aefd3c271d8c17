// Creates: the record and its event in one statement, which concurrent creates share.

import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Tx } from '../../platform/db/db.ts';
import { jsonSeparator, plainList, type Sql, sql } from '../../platform/db/sql.ts';
import { announce, eventRows, eventsFrom, type FrozenEvent } from '../../platform/events/outbox.ts';
import { lookupKeys } from './lookup/records.lookup.ts';
import { recordInsert } from './records.sql.ts';
import type { FieldValues } from './records.values.ts';

interface NewRecord {
  record: CrmRecord;
  event: FrozenEvent;
}

/** Neither a duplicate to look for nor users or labels to check: it can share its statement with others. */
export function isPlain({
  channelId,
  assignedUserIds,
  labelIds,
}: Pick<CrmRecord, 'channelId' | 'assignedUserIds' | 'labelIds'>): boolean {
  return channelId === null && assignedUserIds.length === 0 && labelIds.length === 0;
}

/** False: the definitions have changed, nothing was written. */
export async function insertRecord(
  tx: Tx,
  accountId: string,
  record: CrmRecord,
  event: FrozenEvent,
  definitionsVersion: number,
): Promise<boolean> {
  announce(tx, [event]);
  if (!isPlain(record)) {
    const rows = await tx.query(insertOne(accountId, { record, event }, definitionsVersion));
    return rows.length > 0;
  }
  const statement = (created: readonly NewRecord[]) =>
    created.length === 1
      ? insertOne(accountId, created[0]!, definitionsVersion)
      : insertPlain(accountId, created, definitionsVersion);
  const key = `records ${accountId} ${definitionsVersion}`;
  return tx.writeBatched({ key, statement }, { record, event });
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

/**
 * Of records that have neither channel nor assigned users nor labels: others are written in transactions of their own. A list for
 * each column: the statement alone took PostgreSQL a tenth (8 records) to a third (16) more with the rows as documents for
 * jsonb_to_recordset, which shows little in a whole create; as a list of values they took PostgreSQL as little, but this
 * process a seventh of a create for so many parameters.
 */
function insertPlain(accountId: string, created: readonly NewRecord[], definitionsVersion: number): Sql {
  const list = (partOf: (one: NewRecord) => string | number) => plainList(created.map(partOf));
  const texts = (partOf: (one: NewRecord) => string) => created.map(partOf).join(jsonSeparator);
  return sql`
    with given as materialized (
      select id, event_id, event, sequence, kanban_id, created_by, created_at, title, status,
        fields::jsonb as custom_fields, keys::bigint[] as lookup_keys, client_id, body
      from rows from (
        unnest(${list((one) => one.record.recordId)}::uuid[]),
        unnest(${list((one) => one.event.id)}::uuid[]),
        unnest(${list((one) => one.event.event)}::text[]),
        unnest(${list((one) => one.event.sequence)}::int[]),
        unnest(${list((one) => one.record.kanbanId)}::uuid[]),
        unnest(${created.map((one) => one.record.createdBy)}::text[]),
        unnest(${list((one) => one.record.createdAt)}::bigint[]),
        unnest(${created.map((one) => one.record.title)}::text[]),
        unnest(${created.map((one) => one.record.status)}::text[]),
        unnest(${created.map((one) => one.record.clientId)}::text[]),
        unnest(string_to_array(${texts((one) => JSON.stringify(one.record.customFields))}, ${jsonSeparator})),
        unnest(string_to_array(${texts((one) => keysOf(one.record))}, ${jsonSeparator})),
        unnest(string_to_array(${texts((one) => one.event.body)}, ${jsonSeparator}))
      ) as r (id, event_id, event, sequence, kanban_id, created_by, created_at, title, status, client_id, fields, keys,
        body)
    ), change as (
      insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
        channel_id, created_by, updated_by, created_at, updated_at, event_sequence, lookup_keys,
        client_id)
      select ${accountId}::uuid, id, kanban_id, title, '', status, custom_fields, '{}',
        null, created_by, created_by, created_at, created_at, sequence, lookup_keys,
        client_id
      from given
      where (select definitions_are_current(${accountId}, ${definitionsVersion}))
      returning 1
    ), ${eventsFrom(
      accountId,
      sql`(select event_id, event, id::text, sequence, kanban_id, null::text, created_at, null::uuid, null::text, body
        from given)`,
      'change',
    )}
    select 1 from change limit 1`;
}

function keysOf({ customFields }: CrmRecord): string {
  return plainList(lookupKeys(customFields as FieldValues));
}
