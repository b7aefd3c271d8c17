import type { Contact, MergeOffer } from '../../../contract/contacts.ts';
import { type PeopleTerm, peopleText } from '../../../contract/shapes/people-search.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, join, type Sql, sql } from '../../platform/db/sql.ts';
import { insertLiveChanges } from '../../platform/events/live-changes.ts';
import { type Identifier, identifierKey } from '../blocked-contacts/blocked-contacts.ts';
import { identifierField } from '../records/records.ts';

const seen = (visible: string[] | null) =>
  visible === null ? empty : sql`and s.kanban_id = any(${visible}::uuid[])`;

/** A number that hundreds of records have, such as that of a company, would be no person's. */
const recordsPerIdentifier = 100;

/** The same as lookupKey of records. */
const lookupKeyOf = (text: Sql) => sql`('x' || substr(encode(sha256(convert_to(
  ${identifierField} || E'\\n' || ${text}, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint`;

/** Conversations and records that the caller may see; a contact with none of them is not shown to the caller. */
const columns = (visible: string[] | null) => sql`c.id, c.name,
  (select coalesce(json_agg(json_build_object('kind', i.kind, 'value', i.value, 'channelId', i.channel_id,
      'addedAt', i.added_at) order by i.added_at, i.key), '[]') from contact_identifiers i
    where i.account_id = c.account_id and i.contact_id = c.id) as identifiers,
  (select count(*)::int from sessions s
    where s.account_id = c.account_id and s.contact_id = c.id ${seen(visible)}) as "sessionCount",
  (select coalesce(array_agg(distinct r.id::text order by r.id::text), '{}') from (
      select l.record_id from sessions s
      join session_records l on l.account_id = s.account_id and l.session_id = s.session_id
      where s.account_id = c.account_id and s.contact_id = c.id ${seen(visible)}
      union all
      select id from contact_identifiers i
      join lateral (select n.id from records n where n.account_id = i.account_id
        and n.lookup_keys @> array[${lookupKeyOf(sql`i.kind || ':' || i.value`)}] limit ${recordsPerIdentifier}) n on true
      where i.account_id = c.account_id and i.contact_id = c.id and i.kind in ('phone', 'email')) of_contact
    join records r on r.account_id = c.account_id and r.id = of_contact.record_id
    where true ${visible === null ? empty : sql`and r.kanban_id = any(${visible}::uuid[])`}) as "recordIds",
  exists (select from contact_blocks b where b.account_id = c.account_id and b.contact_id = c.id) as blocked,
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

const isVisible = (visible: string[] | null) =>
  visible === null
    ? empty
    : sql`and exists (select from sessions s
        where s.account_id = c.account_id and s.contact_id = c.id ${seen(visible)})`;

export async function findContact(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  id: string,
): Promise<Contact | null> {
  const [row] = await db.query<Contact>(sql`
    select ${columns(visible)} from contacts c
    where c.account_id = ${accountId} and c.id = ${id} and c.merged_into is null ${isVisible(visible)}`);
  return row ?? null;
}

/** Records with a phone number or an e-mail address of these. One that too many records have is no person's. */
export async function selectRecordsWith(
  db: Reader,
  accountId: string,
  identifiers: readonly { kind: string; value: string }[],
): Promise<string[]> {
  const personal = identifiers.filter(({ kind }) => kind === 'phone' || kind === 'email');
  const rows = await db.query<{ ids: string[] }>(sql`
    select array(select n.id::text from records n where n.account_id = ${accountId}
      and n.lookup_keys @> array[${lookupKeyOf(sql`i.key`)}] limit ${recordsPerIdentifier + 1}) as ids
    from unnest(${personal.map(({ kind, value }) => `${kind}:${value}`)}::text[]) as i (key)`);
  return rows.flatMap(({ ids }) => (ids.length > recordsPerIdentifier ? [] : ids));
}

const searched = sql`(c.name_text || E'\\n' || c.identifier_text)`;

/** The index finds three characters in a row; shorter words are compared with each contact. */
function contains(accountId: string, word: string): Sql {
  const found = sql`strpos(${searched}, ${word}) > 0`;
  if ([...word].length < 3) return found;
  return sql`(contact_grams(c.account_id, c.name_text || E'\\n' || c.identifier_text)
    @> contact_grams(${accountId}::uuid, ${word}::text) and ${found})`;
}

/** Identifiers have no separators: the digits of a phone number are compared as they are. */
function isFoundBy(accountId: string, { words, digits }: PeopleTerm): Sql {
  const hasAll = join(
    words.map((word) => contains(accountId, word)),
    ' and ',
  );
  return digits === null ? hasAll : sql`(${contains(accountId, digits)} or (${hasAll}))`;
}

/** The newest first. */
export async function selectContacts(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  terms: readonly PeopleTerm[],
  after: { createdAt: number; id: string } | null,
  limit: number,
): Promise<Contact[]> {
  return db.query<Contact>(sql`
    select ${columns(visible)} from contacts c
    where c.account_id = ${accountId} and c.merged_into is null ${isVisible(visible)}
      ${
        terms.length === 0
          ? empty
          : sql`and ${join(
              terms.map((term) => isFoundBy(accountId, term)),
              ' and ',
            )}`
      }
      ${after ? sql`and (c.created_at, c.id) < (${after.createdAt}, ${after.id}::uuid)` : empty}
    order by c.created_at desc, c.id desc limit ${limit}`);
}

const offersOf = (accountId: string, contactId: string) => sql`
  contact_identifiers i
  join lateral (
    select o.*, o.key_b as other from contact_merge_offers o where o.account_id = i.account_id and o.key_a = i.key
    union all
    select o.*, o.key_a from contact_merge_offers o where o.account_id = i.account_id and o.key_b = i.key) o on true
  join contact_identifiers j on j.account_id = i.account_id and j.key = o.other and j.contact_id <> i.contact_id
  where i.account_id = ${accountId} and i.contact_id = ${contactId} and o.dismissed_at is null`;

/** The evidence of each is the first. */
export async function selectMergeOffers(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  contactId: string,
): Promise<MergeOffer[]> {
  return db.query<MergeOffer>(sql`
    select offer."contactId", c.name, offer.evidence from (
      select distinct on (j.contact_id) j.contact_id as "contactId", o.created_at,
        json_build_object('channelId', o.channel_id, 'messageId', o.message_id, 'identifiers', o.identifiers) as evidence
      from ${offersOf(accountId, contactId)} order by j.contact_id, o.created_at) offer
    join contacts c on c.account_id = ${accountId} and c.id = offer."contactId"
    where true ${isVisible(visible)}
    order by offer.created_at, offer."contactId"`);
}

/** Whether there was one. */
export async function dismissOffers(
  tx: Tx,
  accountId: string,
  contactId: string,
  otherId: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update contact_merge_offers m set dismissed_at = ${now}
    from (select o.key_a, o.key_b from ${offersOf(accountId, contactId)} and j.contact_id = ${otherId}) d
    where m.account_id = ${accountId} and m.key_a = d.key_a and m.key_b = d.key_b returning 1`);
  return rows.length > 0;
}

/** Waits for messages in progress that use these contacts; in one order. */
export async function lockContacts(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  for (const id of [...new Set(ids)].sort()) {
    await tx.query(sql`
      select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/contact/' || ${id}::text, 0))`);
  }
}

/** After `lockContacts`. An erasure that failed is not done either. */
export async function isErasing(tx: Tx, accountId: string, ids: readonly string[]): Promise<boolean> {
  const rows = await tx.query(sql`
    select from erasures where account_id = ${accountId} and contact_id = any(${ids}::uuid[])
      and state in ('running', 'failed') limit 1`);
  return rows.length > 0;
}

export async function lockSharedContacts(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  for (const id of [...new Set(ids)].sort()) {
    await tx.query(sql`
      select pg_advisory_xact_lock_shared(hashtextextended(${accountId}::text || '/contact/' || ${id}::text, 0))`);
  }
}

/** As open_session does for those that it will add: a block waits for the value, another contact for the key. */
export async function lockIdentifiers(
  tx: Tx,
  accountId: string,
  identifiers: readonly Identifier[],
): Promise<void> {
  if (identifiers.length === 0) return;
  const values = identifiers.map((one) => one.value);
  const keys = identifiers.map(identifierKey);
  await tx.query(sql`
    select pg_advisory_xact_lock_shared(hashtextextended(${accountId}::text || '/contact/' || v, 0))
    from (select distinct v from unnest(${values}::text[]) v order by v) wanted`);
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/identifier/' || k, 0))
    from (select distinct k from unnest(${keys}::text[]) k order by k) wanted`);
}

export interface StoredIdentifier extends Identifier {
  key: string;
  contactId: string;
  viaKey: string | null;
}

const identifierColumns = sql`key, contact_id as "contactId", kind, value, channel_id as "channelId",
  via_key as "viaKey"`;

export async function selectIdentifiersByKeys(
  db: Reader,
  accountId: string,
  keys: readonly string[],
): Promise<StoredIdentifier[]> {
  return db.query<StoredIdentifier>(sql`
    select ${identifierColumns} from contact_identifiers
    where account_id = ${accountId} and key = any(${keys}::text[])`);
}

export async function selectIdentifiersOf(
  db: Reader,
  accountId: string,
  contactId: string,
): Promise<StoredIdentifier[]> {
  return db.query<StoredIdentifier>(sql`
    select ${identifierColumns} from contact_identifiers
    where account_id = ${accountId} and contact_id = ${contactId} order by added_at, key`);
}

export async function insertIdentifiers(
  tx: Tx,
  accountId: string,
  rows: readonly { contactId: string; identifier: Identifier; at: number }[],
): Promise<void> {
  await tx.query(sql`
    insert into contact_identifiers (account_id, key, contact_id, kind, value, channel_id, added_at)
    select ${accountId}::uuid, i.key, i.contact_id, i.kind, i.value, i.channel_id, i.added_at
    from unnest(${rows.map((one) => identifierKey(one.identifier))}::text[],
      ${rows.map((one) => one.contactId)}::uuid[], ${rows.map((one) => one.identifier.kind)}::text[],
      ${rows.map((one) => one.identifier.value)}::text[], ${rows.map((one) => one.identifier.channelId)}::uuid[],
      ${rows.map((one) => one.at)}::bigint[]) as i (key, contact_id, kind, value, channel_id, added_at)`);
}

export async function deleteIdentifiers(tx: Tx, accountId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    sql`delete from contact_identifiers where account_id = ${accountId} and key = any(${keys}::text[])`,
  );
}

export async function moveIdentifiers(
  tx: Tx,
  accountId: string,
  keys: readonly string[],
  contactId: string,
): Promise<void> {
  await tx.query(sql`
    update contact_identifiers set contact_id = ${contactId}
    where account_id = ${accountId} and key = any(${keys}::text[])`);
}

export interface ContactRow {
  id: string;
  name: string | null;
  nameSource: 'none' | 'session' | 'provider' | 'user';
  mergedInto: string | null;
  createdAt: number;
  updatedAt: number;
}

export async function findContactRow(db: Reader, accountId: string, id: string): Promise<ContactRow | null> {
  const [row] = await db.query<ContactRow>(sql`
    select id, name, name_source as "nameSource", merged_into as "mergedInto", created_at as "createdAt",
      updated_at as "updatedAt"
    from contacts where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

/** Also what the search looks at. */
export async function updateContactRow(
  tx: Tx,
  accountId: string,
  { id, name, nameSource, mergedInto, updatedAt }: ContactRow,
): Promise<void> {
  const identifiers = await selectIdentifiersOf(tx, accountId, id);
  await tx.query(sql`
    update contacts set name = ${name}, name_source = ${nameSource}, merged_into = ${mergedInto},
      name_text = ${peopleText([name])}, identifier_text = ${peopleText(identifiers.map(({ value }) => value))},
      updated_at = ${updatedAt}
    where account_id = ${accountId} and id = ${id}`);
}

export async function noteContacts(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(
    insertLiveChanges(
      accountId,
      sql`select 'contact.updated', id, null::uuid from unnest(${ids}::text[]) as n (id)`,
    ),
  );
}
