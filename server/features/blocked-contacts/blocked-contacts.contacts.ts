/**
 * Blocking by contact: an entry for one identifier of a contact blocks all that it has or gets. Contacts that are
 * blocked this way are rows of contact_blocks, which openSession checks.
 */
import type { Tx } from '../../platform/db/db.ts';
import { suppressRepliesTo } from '../pending-replies/pending-replies.ts';
import {
  deleteContactBlock,
  findBlockOfContacts,
  insertContactBlocks,
  lockBlockedContacts,
  type Owner,
  selectBlockedContactIds,
  selectEntriesOfContacts,
  selectKeysOfContacts,
  selectOwners,
} from './blocked-contacts.contacts.sql.ts';
import { identifierTypeOf } from './blocked-contacts.identifier.ts';
import { blockKey, type Identifier } from './blocked-contacts.identify.ts';
import { findBlock, insertBlock } from './blocked-contacts.sql.ts';

const isTyped = (kind: string) => kind === 'web' || kind === 'chatbot';

export interface BlockTarget {
  /** Of the entry. */
  key: string;
  /** `web` or `chatbot` if the entry is for one of these. */
  typed: string | null;
  contactIds: string[];
}

/**
 * Who is meant. Visitors of the web chat and chat ids are meant if the type says so, or if only they have this
 * identifier and it does not look like a phone number.
 */
export async function findTarget(
  tx: Tx,
  accountId: string,
  text: string,
  value: string,
  type: string | undefined,
): Promise<BlockTarget> {
  const owners = await selectOwners(tx, accountId, value);
  const typed = typedKind(owners, text, type);
  const meant = owners.filter(({ kind }) => (typed === null ? !isTyped(kind) : kind === typed));
  const contactIds = [...new Set(meant.flatMap(({ contactId }) => contactId ?? []))];
  return { key: blockKey(typed ?? '', value), typed, contactIds };
}

function typedKind(owners: readonly Owner[], text: string, type: string | undefined): string | null {
  if (type !== undefined) return isTyped(type) ? type : null;
  if (identifierTypeOf(text) === 'phone' || owners.some(({ kind }) => !isTyped(kind))) return null;
  return owners[0]?.kind ?? null;
}

/** Waits for their messages in progress, then looks again: a merge may have moved the identifier meanwhile. */
export async function lockTarget(
  tx: Tx,
  accountId: string,
  text: string,
  value: string,
  type: string | undefined,
): Promise<BlockTarget> {
  const target = await findTarget(tx, accountId, text, value, type);
  if (target.contactIds.length === 0) return target;
  await lockBlockedContacts(tx, accountId, target.contactIds);
  return findTarget(tx, accountId, text, value, type);
}

export const findBlockOfTarget = (tx: Tx, accountId: string, { contactIds }: BlockTarget) =>
  contactIds.length === 0 ? null : findBlockOfContacts(tx, accountId, contactIds);

export async function blockTarget(
  tx: Tx,
  accountId: string,
  { key, contactIds }: BlockTarget,
  value: string,
  now: number,
): Promise<void> {
  if (contactIds.length > 0) await insertContactBlocks(tx, accountId, contactIds, key);
  await suppressRepliesTo(tx, accountId, { contactIds, key, value }, now);
}

/** All entries that must go so that everyone whom these entries block is free. */
export async function selectEntriesToRemove(
  tx: Tx,
  accountId: string,
  { key, contactIds }: BlockTarget,
): Promise<string[]> {
  const keys = new Set([key]);
  const contacts = new Set(contactIds);
  for (let before = -1; before < keys.size + contacts.size; ) {
    before = keys.size + contacts.size;
    for (const id of await selectBlockedContactIds(tx, accountId, [...keys])) contacts.add(id);
    if (contacts.size === 0) break;
    for (const one of await selectKeysOfContacts(tx, accountId, [...contacts])) keys.add(one);
    for (const one of await selectEntriesOfContacts(tx, accountId, [...contacts])) keys.add(one.key);
  }
  return [...keys];
}

/** Contacts got identifiers: one that is on the list blocks its contact. */
export async function blockContactsOf(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
  now: number,
): Promise<void> {
  for (const { contactId, key } of await selectEntriesOfContacts(tx, accountId, contactIds)) {
    await insertContactBlocks(tx, accountId, [contactId], key);
    await suppressRepliesTo(tx, accountId, { contactIds: [contactId], key, value: key }, now);
  }
}

/** Identifiers that a blocked contact loses stay blocked: each gets an entry of its own, with the reason of the contact's. */
export async function keepIdentifiersBlocked(
  tx: Tx,
  accountId: string,
  contactId: string,
  identifiers: readonly Identifier[],
  { createdBy, now }: { createdBy: string; now: number },
): Promise<void> {
  if (identifiers.length === 0) return;
  const entry = await findContactBlock(tx, accountId, contactId);
  if (entry === null) return;
  const { reason } = (await findBlock(tx, accountId, entry))!;
  for (const { kind, value } of identifiers) {
    const identifierType = isTyped(kind) ? kind : identifierTypeOf(value);
    const block = { identifierValue: value, identifierType, reason, createdBy, now };
    await insertBlock(tx, accountId, blockKey(kind, value), block);
  }
}

/** Null: not blocked. */
export const findContactBlock = (tx: Tx, accountId: string, contactId: string) =>
  findBlockOfContacts(tx, accountId, [contactId]);

/** Null unblocks it; an entry that is gone does too. */
export async function setContactBlock(
  tx: Tx,
  accountId: string,
  contactId: string,
  key: string | null,
): Promise<void> {
  await deleteContactBlock(tx, accountId, contactId);
  if (key !== null && (await findBlock(tx, accountId, key)))
    await insertContactBlocks(tx, accountId, [contactId], key);
}
