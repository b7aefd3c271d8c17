/**
 * Blocks of people who were erased. The list keeps a keyed hash of the identifier and nothing else, so that the person
 * stays blocked. The key is not in the database: with a copy of the database alone, phone numbers cannot be tried out.
 */
import type { Tx } from '../../platform/db/db.ts';
import { hmac, type Secrets } from '../../platform/secrets/secrets.ts';
import { suppressRepliesTo } from '../pending-replies/pending-replies.ts';
import {
  insertContactBlocks,
  lockBlockedContacts,
  selectBlockKeysOf,
  selectOwners,
} from './blocked-contacts.contacts.sql.ts';
import { blockKey, type Identifier } from './blocked-contacts.identify.ts';
import { replaceWithErased } from './blocked-contacts.sql.ts';

/** The key of the block list under which an erased person's `blockKey` is found. */
export type BlockHash = (accountId: string, key: string) => string;

export const erasedPrefix = 'erased:';

export function createBlockHash(secrets: Secrets): BlockHash {
  const key = secrets.lastingKey('erased-block');
  return (accountId, text) => `${erasedPrefix}${hmac(key, `${accountId}/${text}`).toString('base64url')}`;
}

/** Of what a provider delivered: the key by which it is known when it comes again. */
export const erasedItemHash = (hash: BlockHash, accountId: string, channelId: string, key: string): string =>
  hash(accountId, `item/${channelId}/${key}`);

/** How many identifiers stay blocked; 0: the contacts were not blocked. */
export async function eraseBlocks(
  tx: Tx,
  accountId: string,
  { contactIds, identifiers }: { contactIds: string[]; identifiers: { kind: string; value: string }[] },
  hash: BlockHash,
  now: number,
): Promise<number> {
  const own = identifiers.map(({ kind, value }) => blockKey(kind, value));
  const blocked = await selectBlockKeysOf(tx, accountId, contactIds, own);
  if (blocked.length === 0) return 0;
  const keys = [...new Set([...own, ...blocked])];
  const hashes = keys.map((key) => hash(accountId, key));
  await replaceWithErased(tx, accountId, keys, hashes, now);
  return keys.length;
}

/**
 * Identifiers that a provider sent as one person's. If one of them is an erased person's who stays blocked, the others
 * are blocked too, with the contact that has one of them. False: none is.
 */
export async function blockTold(
  tx: Tx,
  accountId: string,
  identifiers: readonly Identifier[],
  hash: BlockHash,
  now: number,
): Promise<boolean> {
  const hashes = identifiers.map(({ kind, value }) => hash(accountId, blockKey(kind, value)));
  const [known] = await selectBlockKeysOf(tx, accountId, [], hashes);
  if (known === undefined) return false;
  const values = identifiers.map(({ value }) => value);
  await lockBlockedContacts(tx, accountId, values);
  await replaceWithErased(tx, accountId, [], hashes, now);
  for (const { kind, value } of identifiers) {
    const owners = (await selectOwners(tx, accountId, value)).filter((one) => one.kind === kind);
    const contactIds = owners.flatMap(({ contactId }) => contactId ?? []);
    if (contactIds.length === 0) continue;
    await insertContactBlocks(tx, accountId, contactIds, known);
    await suppressRepliesTo(tx, accountId, { contactIds, key: known, value }, now);
  }
  return true;
}
