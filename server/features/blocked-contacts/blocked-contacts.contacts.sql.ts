/** Which contacts a block is about. Contacts are below the block list in the order of features, so it reads their tables. */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface Owner {
  /** Null: a conversation that has no contact yet. */
  contactId: string | null;
  kind: string;
}

/** Everyone whose identifier has this value, of any kind. */
export async function selectOwners(db: Reader, accountId: string, value: string): Promise<Owner[]> {
  return db.query<Owner>(sql`
    select contact_id as "contactId", kind from contact_identifiers
    where account_id = ${accountId} and value = ${value}
    union all
    select distinct null::uuid, c.type from sessions s
    join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where s.account_id = ${accountId} and s.contact_key = ${value} and s.contact_id is null
    order by 1 nulls last, 2`);
}

/** Waits for messages in progress of these contacts; in one order. */
export async function lockBlockedContacts(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  for (const id of [...new Set(ids)].sort()) {
    await tx.query(sql`
      select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/contact/' || ${id}::text, 0))`);
  }
}

/** The entry by which one of these contacts is blocked. */
export async function findBlockOfContacts(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
): Promise<string | null> {
  const [row] = await db.query<{ key: string }>(sql`
    select contact_key as key from contact_blocks
    where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) order by contact_key limit 1`);
  return row?.key ?? null;
}

export async function insertContactBlocks(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
  key: string,
): Promise<void> {
  await tx.query(sql`
    insert into contact_blocks (account_id, contact_id, contact_key)
    select ${accountId}::uuid, id, ${key}::text from unnest(${contactIds}::uuid[]) as c (id)
    on conflict (account_id, contact_id) do nothing`);
}

export async function deleteContactBlock(tx: Tx, accountId: string, contactId: string): Promise<void> {
  await tx.query(
    sql`delete from contact_blocks where account_id = ${accountId} and contact_id = ${contactId}`,
  );
}

/** Of each contact, an entry that names one of its identifiers. */
export async function selectEntriesOfContacts(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
): Promise<{ contactId: string; key: string }[]> {
  return db.query<{ contactId: string; key: string }>(sql`
    select distinct i.contact_id as "contactId", b.contact_key as key from contact_identifiers i
    join blocked_contacts b on b.account_id = i.account_id and b.contact_key =
      case when i.kind in ('web', 'chatbot') then i.kind || ':' || i.value else i.value end
    where i.account_id = ${accountId} and i.contact_id = any(${contactIds}::uuid[]) order by 1, 2`);
}

/** The contacts that an entry blocks. */
export async function selectBlockedContactIds(
  db: Reader,
  accountId: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select contact_id as id from contact_blocks
    where account_id = ${accountId} and contact_key = any(${keys}::text[])`);
  return rows.map(({ id }) => id);
}

/** The entries by which these contacts are blocked, of those that still exist. */
export async function selectKeysOfContacts(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select distinct contact_key as key from contact_blocks
    where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`);
  return rows.map(({ key }) => key);
}

/** The entries that block these contacts or name one of these keys. */
export async function selectBlockKeysOf(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
  keys: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select contact_key as key from contact_blocks
    where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])
    union
    select contact_key from blocked_contacts where account_id = ${accountId} and contact_key = any(${keys}::text[])`);
  return rows.map(({ key }) => key);
}
