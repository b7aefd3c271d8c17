/** The statements of records.sql.ts for many records of one board at a time. */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { sha256 } from '../../platform/secrets/secrets.ts';
import { type DuplicateKey, isOnKanban, titleHash } from './records.sql.ts';

/** Two keys of the same record have the same text. */
export function duplicateKeyText(channelId: string, title: string): string {
  return `${channelId}\n${titleHash(title).toString('hex')}`;
}

/**
 * The oldest record of each key that has one, by the key's text. Queried key by key: as a plain join it was planned
 * as a hash over the whole board (58 ms a batch at 30,000 records against 6 ms).
 */
export async function findManyDuplicates(
  db: Reader,
  accountId: string,
  kanbanId: string,
  keys: readonly DuplicateKey[],
): Promise<Map<string, string>> {
  const hashes = keys.map((key) => titleHash(key.title).toString('hex'));
  const rows = await db.query<{ id: string; channel_id: string; title_hash: string }>(sql`
    select oldest.id, asked.channel_id, asked.title_hash
    from unnest(${keys.map((key) => key.channelId)}::text[], ${hashes}::text[]) as asked (channel_id, title_hash)
    cross join lateral (
      select (array_agg(r.id order by r.created_at + 0, r.id))[1] as id from records r
      where r.account_id = ${accountId} and r.title_hash = decode(asked.title_hash, 'hex')
        and r.channel_id = asked.channel_id and ${isOnKanban(kanbanId)}) oldest
    where oldest.id is not null`);
  return new Map(rows.map((row) => [`${row.channel_id}\n${row.title_hash}`, row.id]));
}

/**
 * The oldest record of each look-up key that has one, by the key; not one whose value a visitor typed. All keys at once: each look would read the list of new
 * keys beside the index anew (158 ms for 100 of them against 2 ms, with 20,000 in the list). Account and board are compared
 * in a way that no other index serves: on a table without statistics the planner took the primary key and read
 * every record for each key (2 s a batch at 20,000 records).
 */
export async function findManyByLookup(
  db: Reader,
  accountId: string,
  kanbanId: string,
  fieldId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; key: string }>(sql`
    select distinct on (own.key) own.key::text as key, r.id
    from records r cross join lateral unnest(r.lookup_keys) as own (key)
    where r.account_id::text = ${accountId}::text and ${isOnKanban(kanbanId)}
      and r.lookup_keys && ${keys}::bigint[] and own.key = any(${keys}::bigint[])
      and not r.unverified_fields @> array[${fieldId}::uuid]
    order by own.key, r.created_at, r.id`);
  return new Map(rows.map((row) => [row.key, row.id]));
}

/** In an order that is the same for everyone. */
export async function lockLookups(
  tx: Tx,
  accountId: string,
  kanbanId: string,
  keys: readonly string[],
): Promise<void> {
  const locks = keys
    .map((key) => sha256(`${accountId}\n${kanbanId}\n${key}`).readBigInt64BE(0))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  await tx.query(
    sql`select pg_advisory_xact_lock(number) from unnest(${locks.map(String)}::bigint[]) as keys (number)`,
  );
}

export async function selectExistingRecordIds(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from records where account_id = ${accountId} and id = any(${ids}::uuid[])`,
  );
  return new Set(rows.map((row) => row.id));
}
