/**
 * The statements that remove a person, in one place, so that they can be compared with the list of tables. Each does one
 * batch and can be repeated. erasures.proof.test.ts finds a table that is missing here.
 */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { KeptRecords, Person } from './erasures.sql.ts';

/** It goes over thousands of rows. */
const long = { timeoutMs: 60_000 };

/** The contact and those that were merged into it, at any depth. */
export async function selectMergedContacts(db: Reader, accountId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with recursive same (id) as (
      select id from contacts where account_id = ${accountId} and id = ${id}
      union
      select c.id from contacts c join same on c.account_id = ${accountId} and c.merged_into = same.id)
    select id from same`);
  return rows.map((row) => row.id);
}

export async function selectIdentifiers(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
): Promise<Person['identifiers']> {
  return db.query(sql`
    select kind, value, channel_id as "channelId" from contact_identifiers
    where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) order by key`);
}

/** Also conversations without a contact that came by one of the identifiers: those of a blocked person have none. */
export async function selectConversations(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
  identifiers: Person['identifiers'],
): Promise<{ sessionId: string; kanbanId: string; customer: string | null }[]> {
  return db.query(
    sql`
    select s.session_id as "sessionId", s.kanban_id as "kanbanId", s.external_user_id as customer from sessions s
    where s.account_id = ${accountId} and s.contact_id = any(${contactIds}::uuid[])
    union
    select s.session_id, s.kanban_id, s.external_user_id
    from unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[],
      ${identifiers.map(({ channelId }) => channelId)}::uuid[]) as i (kind, value, channel_id)
    join sessions s on s.account_id = ${accountId} and s.contact_key = i.value and s.contact_id is null
    join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where (c.type in ('web', 'chatbot') and c.type = i.kind or c.type not in ('web', 'chatbot')
        and i.kind not in ('web', 'chatbot'))
      and (i.channel_id is null or i.channel_id = s.channel_id)`,
    long,
  );
}

/**
 * Made for these conversations, or `carrying` an identifier of the person, and used by no other one. A conversation that was begun on an existing card is younger
 * than the card; a card made for it, at its begin or by a transfer, is not older than the conversation. Also those that
 * somebody has deleted: the audit log names them.
 */
export async function selectRecordsOf(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  carrying: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`
    select distinct r.record_id as id from (
      select l.record_id from session_records l
      join sessions s on s.account_id = l.account_id and s.session_id = l.session_id
      left join records c on c.account_id = l.account_id and c.id = l.record_id
      where l.account_id = ${accountId} and l.session_id = any(${sessionIds}::text[])
        and (c.id is null or c.created_at >= s.created_at)
      union all select unnest(${carrying}::uuid[])) r
    where not exists (select from session_records o
      where o.account_id = ${accountId} and o.record_id = r.record_id and o.session_id <> all(${sessionIds}::text[]))`,
    long,
  );
  return rows.map((row) => row.id);
}

/** Linked with these conversations, in the order of their ids. */
export async function selectLinkedRecords(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select distinct record_id as id from session_records
      where account_id = ${accountId} and session_id = any(${sessionIds}::text[]) order by record_id`,
    long,
  );
  return rows.map((row) => row.id);
}

/** What cards of the person may say besides identifiers. A value that a visitor typed into a card of others too is not theirs. */
export async function selectOwnWords(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
  sessionIds: readonly string[],
): Promise<Pick<KeptRecords, 'names' | 'values'>> {
  const [row] = await db.query<Pick<KeptRecords, 'names' | 'values'>>(
    sql`
    with own as (
      select session_id, session_name, external_user_id, customer_email from sessions
      where account_id = ${accountId} and session_id = any(${sessionIds}::text[])),
    linked as (
      select distinct l.record_id from session_records l
      where l.account_id = ${accountId} and l.session_id = any(${sessionIds}::text[])
        and not exists (select from session_records o where o.account_id = l.account_id
          and o.record_id = l.record_id and o.session_id <> all(${sessionIds}::text[])))
    select
      array(select name from contacts where account_id = ${accountId} and id = any(${contactIds}::uuid[])
          and name is not null
        union select session_name from own where session_name is not null
        union select session_id from own) as names,
      array(select external_user_id from own where external_user_id is not null
        union select customer_email from own where customer_email is not null
        union select r.custom_fields ->> f::text from linked
          join records r on r.account_id = ${accountId} and r.id = linked.record_id
          cross join unnest(r.unverified_fields) f where r.custom_fields ? f::text) as values`,
    long,
  );
  return row!;
}

export async function isAnyOnOtherBoard(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
  kanbanIds: readonly string[],
): Promise<boolean> {
  const rows = await db.query(sql`
    select from records where account_id = ${accountId} and id = any(${recordIds}::uuid[])
      and kanban_id <> all(${kanbanIds}::uuid[]) limit 1`);
  return rows.length > 0;
}

/** A batch of a conversation's messages, the newest first; returns the keys of their files. */
export async function deleteMessages(
  tx: Tx,
  accountId: string,
  sessionId: string,
  limit: number,
): Promise<{ ids: string[]; fileKeys: string[] }> {
  const rows = await tx.query<{ id: string; keys: string[] }>(
    sql`
    delete from messages where account_id = ${accountId} and session_id = ${sessionId} and position = any(array(
      select position from messages where account_id = ${accountId} and session_id = ${sessionId}
      order by position desc limit ${limit}))
    returning id, attachment_file_keys(attachments) as keys`,
    long,
  );
  const ids = rows.map(({ id }) => id);
  const mails = await tx.query<{ key: string }>(sql`
    delete from mail_messages where account_id = ${accountId} and message_id = any(${ids}::uuid[])
    returning original_key as key`);
  const keys = [...rows.flatMap((row) => row.keys), ...mails.flatMap(({ key }) => key ?? [])];
  return { ids, fileKeys: [...new Set(keys)] };
}

/** Files of the conversation that no message has: of scheduled messages, of unsent uploads, of mails. */
export async function selectOtherFiles(db: Reader, accountId: string, sessionId: string): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select jsonb_array_elements_text(attachment_file_keys(attachments)) as key from scheduled_messages
    where account_id = ${accountId} and session_id = ${sessionId} and attachments <> '[]'
    union
    select file_key::text from widget_uploads where account_id = ${accountId} and session_id = ${sessionId}
    union
    select original_key::text from mail_messages
    where account_id = ${accountId} and session_id = ${sessionId} and original_key is not null`);
  return rows.map((row) => row.key);
}

export async function isSession(db: Reader, accountId: string, sessionId: string): Promise<boolean> {
  const rows = await db.query(
    sql`select from sessions where account_id = ${accountId} and session_id = ${sessionId}`,
  );
  return rows.length > 0;
}

/** Everything that hangs on the conversation goes with it. Returns when it was removed; null: it is not there. */
export async function deleteConversation(
  tx: Tx,
  accountId: string,
  sessionId: string,
): Promise<number | null> {
  await tx.query(sql`
    delete from early_receipts where account_id = ${accountId} and session_id = ${sessionId}`);
  await tx.query(sql`
    delete from scheduled_messages where account_id = ${accountId} and session_id = ${sessionId}`);
  const [row] = await tx.query<{ at: number }>(
    sql`
    delete from sessions where account_id = ${accountId} and session_id = ${sessionId}
    returning (extract(epoch from clock_timestamp()) * 1000)::bigint as at`,
    long,
  );
  return row?.at ?? null;
}

/** A batch of the account's events, in the order of their ids. Of a removed conversation: those until then. */
export async function deleteEvents(
  tx: Tx,
  accountId: string,
  subjectIds: readonly string[],
  gone: Readonly<Record<string, number>>,
  after: string | null,
  limit: number,
): Promise<{ last: string | null; count: number }> {
  const [row] = await tx.query<{ last: string | null; count: number }>(
    sql`
    with batch as (
      select id, subject_id, created_at from events
      where account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${limit}),
    gone as (
      delete from events e using batch b
      where e.account_id = ${accountId} and e.id = b.id and b.subject_id = any(${subjectIds}::text[])
        and b.created_at <= coalesce((${JSON.stringify(gone)}::jsonb ->> b.subject_id)::bigint, b.created_at)
      returning 1)
    select (select id from batch order by id desc limit 1) as last, (select count(*)::int from gone) as count`,
    long,
  );
  return row!;
}

/** The ids of events about these in a batch of the account's events, in the order of their ids. */
export async function selectEventsAbout(
  db: Reader,
  accountId: string,
  subjectIds: readonly string[],
  after: string | null,
  limit: number,
): Promise<{ last: string | null; ids: string[] }> {
  const [row] = await db.query<{ last: string | null; ids: string[] }>(
    sql`
    with batch as (
      select id, subject_id from events
      where account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${limit})
    select (select id from batch order by id desc limit 1) as last,
      array(select id::text from batch where subject_id = any(${subjectIds}::text[])) as ids`,
    long,
  );
  return row!;
}

export async function selectEventBodies(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<{ id: string; body: string }[]> {
  return db.query(sql`
    select id, body from events where account_id = ${accountId} and id = any(${ids}::uuid[])`);
}

export async function deleteEventsById(tx: Tx, accountId: string, ids: readonly string[]): Promise<number> {
  const rows = await tx.query(sql`
    delete from events where account_id = ${accountId} and id = any(${ids}::uuid[]) returning 1`);
  return rows.length;
}

/** Those about tasks and comments of these records. */
export async function selectNotificationTexts(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
): Promise<{ id: string; text: string }[]> {
  return db.query(
    sql`select id, title || E'\\n' || body as text from notifications
      where account_id = ${accountId} and record_id = any(${recordIds}::uuid[])`,
    long,
  );
}

export async function deleteNotificationsById(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<number> {
  const rows = await tx.query(sql`
    delete from notifications where account_id = ${accountId} and id = any(${ids}::uuid[]) returning 1`);
  return rows.length;
}

/** The id of a removed conversation is used again: what it has now is of the new one. */
const isUnused = (accountId: string, id: Sql) =>
  sql`not exists (select from sessions s where s.account_id = ${accountId} and s.session_id = ${id})`;

/** Notifications about removed conversations, and about tasks and comments of records. */
export async function deleteNotifications(
  tx: Tx,
  accountId: string,
  { sessionIds, recordIds }: Pick<Person, 'sessionIds' | 'recordIds'>,
): Promise<number> {
  const rows = await tx.query(
    sql`delete from notifications where account_id = ${accountId}
      and (subject_id = any(${sessionIds}::text[]) and ${isUnused(accountId, sql`subject_id`)}
      or subject_id = any(${recordIds}::text[]) or record_id = any(${recordIds}::uuid[])) returning 1`,
    long,
  );
  return rows.length;
}

/** Jobs that name one of the records anywhere in their payload, or a conversation as such that is not there again. */
export async function deleteJobs(
  tx: Tx,
  accountId: string,
  { sessionIds, recordIds }: Pick<Person, 'sessionIds' | 'recordIds'>,
): Promise<number> {
  const isGone = sql`v #>> '{}' = any(${sessionIds}::text[]) and ${isUnused(accountId, sql`v #>> '{}'`)}`;
  const rows = await tx.query(
    sql`
    delete from jobs j where j.account_id = ${accountId} and (
      exists (select from jsonb_path_query(j.payload, '$.**') v
        where jsonb_typeof(v) = 'string' and v #>> '{}' = any(${recordIds}::text[]))
      or exists (select from jsonb_path_query(j.payload, '$.**.sessionId') v where ${isGone})
      or exists (select from jsonb_path_query(j.payload, '$.**.sessionIds[*]') v where ${isGone}))
    returning 1`,
    long,
  );
  return rows.length;
}

export interface KeptBody {
  id: string;
  body: string;
  /** Null: of no channel, or of one that is gone. */
  channel: { id: string; type: string } | null;
}

/** Bodies of providers that could not be read (those that wait are read in a moment), and what test webhooks received. */
const bodies = {
  connector_inbound: sql`connector_inbound where failed_at is not null and`,
  webhook_inbox_requests: sql`webhook_inbox_requests where`,
};

const channelOf = {
  connector_inbound: sql`(select json_build_object('id', c.id, 'type', c.type) from channels c
    where c.account_id = connector_inbound.account_id and c.id = connector_inbound.channel_id)`,
  webhook_inbox_requests: sql`null::json`,
};

/** A batch that fits into memory: a body may have 100 MB. At least one, as long as there is one. */
export async function selectBodies(
  db: Reader,
  table: keyof typeof bodies,
  accountId: string,
  after: string | null,
  maxRows: number,
  maxBytes: number,
): Promise<KeptBody[]> {
  const isNext = sql`account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid)`;
  return db.query(
    sql`
    select id, body, ${channelOf[table]} as channel from ${bodies[table]} ${isNext} and id in (
      select id from (
        select id, sum(octet_length(body)) over (order by id) as bytes, row_number() over (order by id) as place
        from (select id, body from ${bodies[table]} ${isNext} order by id limit ${maxRows}) as oldest
      ) as counted where bytes <= ${maxBytes} or place = 1)
    order by id`,
    long,
  );
}

export async function deleteBodies(
  tx: Tx,
  table: keyof typeof bodies,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const isNamed = sql`account_id = ${accountId} and id = any(${ids}::uuid[])`;
  await tx.query(
    table === 'connector_inbound'
      ? sql`delete from connector_inbound where ${isNamed} and failed_at is not null`
      : sql`delete from webhook_inbox_requests where ${isNamed}`,
  );
}

/** Counters whose name ends with a conversation's id, and where operators are. */
export async function deleteCounters(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
): Promise<void> {
  const isOfSession = sql`account_id = ${accountId}
    and substr(bucket, strpos(bucket, ':') + 1) = any(${sessionIds}::text[])`;
  await tx.query(sql`delete from rate_limit_hits where ${isOfSession}`);
  await tx.query(sql`delete from rate_limit_leases where ${isOfSession}`);
  await tx.query(sql`delete from rate_limit_counters where ${isOfSession}`);
  await tx.query(sql`
    delete from widget_upload_usage where account_id = ${accountId}
      and subject = any(array(select 'visitor/' || s from unnest(${sessionIds}::text[]) s))`);
  await tx.query(sql`
    update live_presence set session_id = null
    where account_id = ${accountId} and session_id = any(${sessionIds}::text[])`);
  await tx.query(sql`
    update contact_backfill set account_id = null, session_id = null where done and account_id = ${accountId}`);
}

export async function deleteFieldValues(
  tx: Tx,
  accountId: string,
  recordIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from deleted_field_values where account_id = ${accountId} and record_id = any(${recordIds}::uuid[])`);
}

export async function selectFieldValues(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
): Promise<{ recordId: string; fieldId: string; value: unknown }[]> {
  return db.query(sql`
    select record_id as "recordId", field_id as "fieldId", value from deleted_field_values
    where account_id = ${accountId} and record_id = any(${recordIds}::uuid[])`);
}

export async function deleteFieldValue(
  tx: Tx,
  accountId: string,
  { recordId, fieldId }: { recordId: string; fieldId: string },
): Promise<void> {
  await tx.query(sql`
    delete from deleted_field_values
    where account_id = ${accountId} and field_id = ${fieldId} and record_id = ${recordId}`);
}

/** Last: while the contact exists, a repeated request finds it. */
export async function deleteContacts(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
  keys: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from contact_merge_offers where account_id = ${accountId}
      and (key_a = any(${keys}::text[]) or key_b = any(${keys}::text[]))`);
  await tx.query(sql`
    delete from contact_merges where account_id = ${accountId}
      and (contact_id = any(${contactIds}::uuid[]) or merged_id = any(${contactIds}::uuid[]))`);
  await tx.query(sql`
    delete from contact_blocks where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`);
  await tx.query(sql`
    delete from contact_identifiers where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`);
  await tx.query(sql`
    delete from contacts where account_id = ${accountId} and id = any(${contactIds}::uuid[])`);
}

/** The log of live updates names conversations by their ids, which may be phone numbers. Not of those that are there. */
export async function clearLiveLog(tx: Tx, accountId: string, removedIds: readonly string[]): Promise<void> {
  const unused = await tx.query<{ id: string }>(sql`
    select id from unnest(${removedIds}::text[]) as i (id) where ${isUnused(accountId, sql`id`)}`);
  const sessionIds = unused.map(({ id }) => id);
  await tx.query(
    sql`
    update live_log set subject_id = 'erased', detail = null
    where account_id = ${accountId} and subject_id = any(${sessionIds}::text[])`,
    long,
  );
  await tx.query(sql`
    update live_changes set subject_id = 'erased', detail = null
    where account_id = ${accountId} and subject_id = any(${sessionIds}::text[])`);
  await tx.query(
    sql`
    delete from live_signals where exists (
      select from unnest(${sessionIds}::text[]) s where strpos(body, to_json(s)::text) > 0)`,
    long,
  );
}
