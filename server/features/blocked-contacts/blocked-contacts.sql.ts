import type { BlockedContact } from '../../../contract/messaging/blocked-contacts.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';

interface BlockedRow {
  contact_key: string;
  identifier_value: string;
  identifier_type: string;
  reason: string;
  created_at: number;
  created_by: string;
  dropped_count: number;
  last_dropped_at: number | null;
}

function toBlockedContact(row: BlockedRow): BlockedContact {
  return {
    identifierValue: row.identifier_value,
    identifierType: row.identifier_type,
    reason: row.reason,
    createdAt: row.created_at,
    createdBy: row.created_by,
    droppedCount: row.dropped_count,
    lastDroppedAt: row.last_dropped_at,
  };
}

const columns = sql`contact_key, identifier_value, identifier_type, reason, created_at, created_by, dropped_count,
  last_dropped_at`;

/** Waits for every message of the contact in progress; later ones see the block. */
export async function lockContact(tx: Tx, accountId: string, key: string): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/contact/' || ${key}::text, 0))`);
}

export async function insertBlock(
  tx: Tx,
  accountId: string,
  key: string,
  block: { identifierValue: string; identifierType: string; reason: string; createdBy: string; now: number },
): Promise<BlockedContact | null> {
  const [row] = await tx.query<BlockedRow>(sql`
    insert into blocked_contacts (account_id, contact_key, identifier_value, identifier_type, reason, created_by, created_at)
    values (${accountId}, ${key}, ${block.identifierValue}, ${block.identifierType}, ${block.reason},
      ${block.createdBy}, ${block.now})
    on conflict (account_id, contact_key) do nothing
    returning ${columns}`);
  return row ? toBlockedContact(row) : null;
}

export async function findBlock(db: Reader, accountId: string, key: string): Promise<BlockedContact | null> {
  const [row] = await db.query<BlockedRow>(
    sql`select ${columns} from blocked_contacts where account_id = ${accountId} and contact_key = ${key}`,
  );
  return row ? toBlockedContact(row) : null;
}

export async function deleteBlock(tx: Tx, accountId: string, key: string): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from blocked_contacts where account_id = ${accountId} and contact_key = ${key} returning 1`,
  );
  return rows.length > 0;
}

export async function selectBlocks(
  db: Reader,
  accountId: string,
  after: { createdAt: number; key: string } | null,
  limit: number | null,
): Promise<(BlockedContact & { key: string })[]> {
  const rows = await db.query<BlockedRow>(sql`
    select ${columns} from blocked_contacts
    where account_id = ${accountId}
      ${after ? sql`and (created_at, contact_key) < (${after.createdAt}, ${after.key})` : empty}
    order by created_at desc, contact_key desc limit ${limit}`);
  return rows.map((row) => ({ ...toBlockedContact(row), key: row.contact_key }));
}

export async function countDrop(db: Db, accountId: string, key: string, now: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      update blocked_contacts set dropped_count = dropped_count + 1, last_dropped_at = ${now}
      where account_id = ${accountId} and contact_key = ${key}`),
  );
}

export interface BlockKey {
  accountId: string;
  key: string;
}

/** Of all accounts, oldest first. */
export async function selectAllBlocks(tx: Tx): Promise<(BlockKey & { identifierValue: string })[]> {
  return tx.query(sql`
    select account_id as "accountId", contact_key as key, identifier_value as "identifierValue"
    from blocked_contacts order by created_at, contact_key for update`);
}

export async function deleteBlocks(tx: Tx, blocks: readonly BlockKey[]): Promise<void> {
  await tx.query(sql`
    delete from blocked_contacts b
    using unnest(${blocks.map((b) => b.accountId)}::uuid[], ${blocks.map((b) => b.key)}::text[]) as d (account_id, key)
    where b.account_id = d.account_id and b.contact_key = d.key`);
}

/** Deletes and inserts: an update would fail if one block takes the key that another one still has. */
export async function moveBlocks(tx: Tx, blocks: readonly (BlockKey & { newKey: string })[]): Promise<void> {
  const rows = await tx.query<BlockedRow & { account_id: string; new_key: string }>(sql`
    delete from blocked_contacts b
    using unnest(${blocks.map((b) => b.accountId)}::uuid[], ${blocks.map((b) => b.key)}::text[],
      ${blocks.map((b) => b.newKey)}::text[]) as m (account_id, key, new_key)
    where b.account_id = m.account_id and b.contact_key = m.key
    returning b.*, m.new_key`);
  await tx.query(sql`
    insert into blocked_contacts (account_id, contact_key, identifier_value, identifier_type, reason, created_at,
      created_by, dropped_count, last_dropped_at)
    select account_id, new_key, identifier_value, identifier_type, reason, created_at, created_by, dropped_count,
      last_dropped_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (account_id uuid, new_key text, identifier_value text,
      identifier_type text, reason text, created_at bigint, created_by text, dropped_count bigint, last_dropped_at bigint)`);
}

/** Each key is blocked by its hash from now on. Others who were blocked by one of the entries stay blocked too. */
export async function replaceWithErased(
  tx: Tx,
  accountId: string,
  keys: readonly string[],
  hashes: readonly string[],
  now: number,
): Promise<void> {
  await tx.query(sql`
    insert into blocked_contacts (account_id, contact_key, identifier_value, identifier_type, reason, created_by, created_at)
    select ${accountId}::uuid, h, 'erased', 'erased', '', '', ${now}::bigint from unnest(${hashes}::text[]) h
    on conflict (account_id, contact_key) do nothing`);
  await tx.query(sql`
    update contact_blocks b set contact_key = h.hash
    from unnest(${keys}::text[], ${hashes}::text[]) as h (key, hash)
    where b.account_id = ${accountId} and b.contact_key = h.key`);
  await tx.query(sql`
    delete from blocked_contacts where account_id = ${accountId} and contact_key = any(${keys}::text[])`);
}

/** The identifier is known again: others who were blocked by its hash are blocked by the entry. */
export async function replaceErased(tx: Tx, accountId: string, hash: string, key: string): Promise<void> {
  await tx.query(sql`
    update contact_blocks set contact_key = ${key} where account_id = ${accountId} and contact_key = ${hash}`);
  await deleteBlock(tx, accountId, hash);
}
