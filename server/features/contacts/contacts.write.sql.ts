/** What a message changes in contacts, as parts of its statement. The locks of open_session make conflicts impossible. */
import { peopleText } from '../../../contract/shapes/people-search.ts';
import type { Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { insertLiveChanges } from '../../platform/events/live-changes.ts';
import { type Identifier, identifierKey } from '../blocked-contacts/blocked-contacts.ts';
import type { ContactChange } from './contacts.write.ts';

/** Statements that are parts of a larger one; `from` names the part that must have a row. */
export function contactParts(accountId: string, change: ContactChange, from: Sql): Sql[] {
  const { contactId, isNew, added, offers } = change;
  const exists = sql`where exists (select from ${from})`;
  const parts = [isNew ? insertContact(accountId, change, exists) : updateContact(accountId, change, from)];
  if (added.length > 0) parts.push(insertAdded(accountId, change, exists));
  if (offers.length > 0) parts.push(insertOffers(accountId, change, exists));
  if (isNew || added.length > 0 || offers.length > 0) {
    const changed = sql`select 'contact.updated', ${contactId}::text, null::uuid ${exists}`;
    parts.push(insertLiveChanges(accountId, changed));
  }
  return parts;
}

function insertContact(accountId: string, { contactId, name, added, now }: ContactChange, exists: Sql): Sql {
  return sql`
    insert into contacts (account_id, id, name, name_source, name_text, identifier_text, created_at, updated_at)
    select ${accountId}::uuid, ${contactId}::uuid, ${name?.text ?? null}::text, ${name?.source ?? 'none'}::text,
      ${peopleText([name?.text ?? null])}::text, ${textOf(added.map((one) => one.identifier))}::text,
      ${now}::bigint, ${now}::bigint ${exists}`;
}

/** A row that would stay as it is is not written. */
function updateContact(accountId: string, { contactId, name, added, now }: ContactChange, from: Sql): Sql {
  const text = name?.text ?? null;
  const isRenamed = sql`(${text}::text is not null and name is distinct from ${text}::text
    and (name_source = 'none' or (name_source <> 'user' and ${name?.source ?? 'none'}::text = 'provider')))`;
  const values = added.length === 0 ? '' : `\n${textOf(added.map((one) => one.identifier))}`;
  return sql`
    update contacts set name = case when ${isRenamed} then ${text}::text else name end,
      name_source = case when ${isRenamed} then ${name?.source ?? 'none'}::text else name_source end,
      name_text = case when ${isRenamed} then ${peopleText([text])}::text else name_text end,
      identifier_text = identifier_text || ${values}::text, updated_at = ${now}::bigint
    where account_id = ${accountId} and id = ${contactId} and (${added.length > 0}::boolean or ${isRenamed})
      and exists (select from ${from})`;
}

const textOf = (identifiers: readonly Pick<Identifier, 'value'>[]) =>
  peopleText(identifiers.map(({ value }) => value));

function insertAdded(accountId: string, { contactId, added, now }: ContactChange, exists: Sql): Sql {
  const rows = sql`unnest(${added.map((one) => identifierKey(one.identifier))}::text[],
      ${added.map((one) => one.identifier.kind)}::text[], ${added.map((one) => one.identifier.value)}::text[],
      ${added.map((one) => one.identifier.channelId)}::uuid[], ${added.map((one) => one.viaKey)}::text[])
    as i (key, kind, value, channel_id, via_key)`;
  return sql`
    insert into contact_identifiers (account_id, key, contact_id, kind, value, channel_id, via_key, added_at)
    select ${accountId}::uuid, i.key, ${contactId}::uuid, i.kind, i.value, i.channel_id, i.via_key, ${now}::bigint
    from ${rows} ${exists}`;
}

/** The person has changed their number: the phone numbers known until now are no longer theirs, except those in the message. */
export async function endPhoneNumbers(
  tx: Tx,
  accountId: string,
  contactId: string,
  told: readonly Identifier[],
  now: number,
): Promise<void> {
  await tx.query(sql`
    update contact_identifiers
    set ended_at = case when key = any(${told.map(identifierKey)}::text[]) then null else coalesce(ended_at, ${now}) end
    where account_id = ${accountId} and contact_id = ${contactId} and kind = 'phone'`);
}

/** If the contact has none of the identifiers, any other one of it is used. */
function insertOffers(
  accountId: string,
  { contactId, offers, told, channelId, messageId, now }: ContactChange,
  exists: Sql,
): Sql {
  const identifiers = told.map(({ kind, value }) => ({ kind, value }));
  const own = sql`coalesce(o.key, (select i.key from contact_identifiers i
    where i.account_id = ${accountId} and i.contact_id = ${contactId} order by i.added_at, i.key limit 1))`;
  return sql`
    insert into contact_merge_offers (account_id, key_a, key_b, channel_id, message_id, identifiers, created_at)
    select ${accountId}::uuid, least(own.key, o.other), greatest(own.key, o.other), ${channelId}::uuid,
      ${messageId}::uuid, ${JSON.stringify(identifiers)}::jsonb, ${now}::bigint
    from unnest(${offers.map(({ key }) => key)}::text[], ${offers.map(({ otherKey }) => otherKey)}::text[])
      as o (key, other)
    cross join lateral (select ${own} as key) own
    ${exists} and own.key is not null
    on conflict (account_id, key_a, key_b) do nothing`;
}
