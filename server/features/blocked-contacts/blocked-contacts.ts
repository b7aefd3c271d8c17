/** The account's block list. sessions/sessions.open.ts is the only place that checks it. */

import { limits } from '../../../contract/limits.ts';
import type { BlockedContact } from '../../../contract/messaging/blocked-contacts.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { textProblem } from '../../platform/http/json-body.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import {
  blockTarget,
  findBlockOfTarget,
  findTarget,
  lockTarget,
  selectEntriesToRemove,
} from './blocked-contacts.contacts.ts';
import { type BlockHash, erasedPrefix } from './blocked-contacts.erased.ts';
import { contactKey, identifierTypeOf } from './blocked-contacts.identifier.ts';
import { blockKey } from './blocked-contacts.identify.ts';
import {
  type BlockKey,
  deleteBlock,
  deleteBlocks,
  findBlock,
  insertBlock,
  lockContact,
  moveBlocks,
  replaceErased,
  selectAllBlocks,
  selectBlocks,
} from './blocked-contacts.sql.ts';

export {
  blockContactsOf,
  findContactBlock,
  keepIdentifiersBlocked,
  setContactBlock,
} from './blocked-contacts.contacts.ts';
export {
  type BlockHash,
  blockTold,
  createBlockHash,
  eraseBlocks,
  erasedItemHash,
} from './blocked-contacts.erased.ts';
export { contactKey, contactKeyVersion } from './blocked-contacts.identifier.ts';
export {
  blockKey,
  type Identifier,
  identifierKey,
  identify,
  isOfChannel,
  mayIdentify,
  toIdentifier,
} from './blocked-contacts.identify.ts';
export { countDrop } from './blocked-contacts.sql.ts';

export async function blockContact(
  tx: Tx,
  actor: Actor,
  now: number,
  identifier: string,
  input: { identifierType?: string; reason?: string },
  hash: BlockHash,
): Promise<BlockedContact & { alreadyBlocked: boolean }> {
  const { accountId } = actor;
  const identifierValue = checkIdentifier(identifier);
  const value = contactKey(identifierValue);
  await lockContact(tx, accountId, value);
  const target = await lockTarget(tx, accountId, identifierValue, value, input.identifierType);
  const { key } = target;
  const earlier = await findBlockOfTarget(tx, accountId, target);
  if (earlier !== null) return { ...(await findBlock(tx, accountId, earlier))!, alreadyBlocked: true };
  const erased = await findBlock(tx, accountId, hash(accountId, key));
  // The hash alone does not show that this contact is the blocked person.
  if (erased && target.contactIds.length === 0) return { ...erased, alreadyBlocked: true };
  const created = await insertBlock(tx, accountId, key, {
    identifierValue,
    identifierType: input.identifierType ?? target.typed ?? identifierTypeOf(identifierValue),
    reason: input.reason ?? '',
    createdBy: actor.id,
    now,
  });
  if (!created) return { ...(await findBlock(tx, accountId, key))!, alreadyBlocked: true };
  if (erased) await replaceErased(tx, accountId, hash(accountId, key), key);
  await blockTarget(tx, accountId, target, value, now);
  await audit(tx, actor, now, {
    action: 'contact.blocked',
    target: { type: 'contact', id: identifierValue },
  });
  return { ...created, alreadyBlocked: false };
}

export async function unblockContact(
  tx: Tx,
  actor: Actor,
  now: number,
  identifier: string,
  identifierType: string | undefined,
  hash: BlockHash,
): Promise<{ identifierValue: string; unblocked: boolean }> {
  const { accountId } = actor;
  const identifierValue = checkIdentifier(identifier);
  const value = contactKey(identifierValue);
  let unblocked = await removeEntries(tx, accountId, identifierValue, value, identifierType, hash);
  // An entry of another kind that has been made before its contact was known, or whose contact is gone.
  for (const type of identifierType === undefined ? ['web', 'chatbot'] : []) {
    if (!unblocked) unblocked = await removeEntries(tx, accountId, identifierValue, value, type, hash);
  }
  if (unblocked) {
    await audit(tx, actor, now, {
      action: 'contact.unblocked',
      target: { type: 'contact', id: identifierValue },
    });
  }
  return { identifierValue, unblocked };
}

/** Everything that blocks the contacts of this identifier. */
async function removeEntries(
  tx: Tx,
  accountId: string,
  text: string,
  value: string,
  type: string | undefined,
  hash: BlockHash,
): Promise<boolean> {
  const target = await findTarget(tx, accountId, text, value, type);
  let isRemoved = await deleteBlock(tx, accountId, hash(accountId, target.key));
  for (const key of await selectEntriesToRemove(tx, accountId, target)) {
    if (await deleteBlock(tx, accountId, key)) isRemoved = true;
  }
  return isRemoved;
}

/** All of them when no limit is asked for. */
export async function listBlockedContacts(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<BlockedContact>> {
  const size = query.limit === undefined ? null : Math.min(query.limit, limits.listPage.max);
  const scope = ['blocked-contacts', accountId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const after = cursor && { createdAt: Number(cursor[0]), key: String(cursor[1]) };
  const rows = await selectBlocks(db, accountId, after, size === null ? null : size + 1);
  const page = cutPage(rows, size ?? rows.length, (last) => tokens.issue([last.createdAt, last.key], scope));
  return { items: page.items.map(({ key: _key, ...item }) => item), nextToken: page.nextToken };
}

function checkIdentifier(text: string): string {
  const value = text.trim();
  if (!value) throw badRequest('identifierValue is required');
  if ([...value].length > limits.nameLength)
    throw badRequest(`identifierValue must have at most ${limits.nameLength} characters`);
  const problem = textProblem(value);
  if (problem) throw badRequest(`identifierValue ${problem}`);
  // Only invisible characters, or a bare `tel:`: it would block everyone else whose identifier is empty too.
  if (contactKey(value) === '') throw badRequest('identifierValue is required');
  return value;
}

/** Compares the stored blocks by the current rule. Of two blocks that now mean the same contact, the older stays. */
export async function recomputeBlockKeys(tx: Tx): Promise<void> {
  const winners = new Set<string>();
  const dropped: BlockKey[] = [];
  const moved: (BlockKey & { newKey: string })[] = [];
  for (const { identifierValue, ...block } of await selectAllBlocks(tx)) {
    // The hash cannot be computed again: the identifier is gone.
    if (block.key.startsWith(erasedPrefix)) continue;
    const typed = /^(?:web|chatbot)(?=:)/.exec(block.key)?.[0] ?? '';
    const newKey = blockKey(typed, contactKey(identifierValue));
    const contact = `${block.accountId}/${newKey}`;
    if (winners.has(contact) || /^(?:\w+:)?$/.test(newKey)) dropped.push(block);
    else if (newKey !== block.key) moved.push({ ...block, newKey });
    winners.add(contact);
  }
  await deleteBlocks(tx, dropped);
  await moveBlocks(tx, moved);
}
