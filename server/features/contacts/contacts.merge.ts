/**
 * Two contacts turn out to be one person, and back. A merge keeps what an undo needs: which identifiers and conversations
 * each had, and both as they were. What arrives later goes to the contact that has the identifier it came by.
 */
import { type ContactDetails, contactLimits, type MergedContact } from '../../../contract/contacts.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError, badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import {
  blockContactsOf,
  findContactBlock,
  identifierKey,
  mayIdentify,
  setContactBlock,
} from '../blocked-contacts/blocked-contacts.ts';
import {
  moveSessionsToContact,
  type SessionOfContact,
  selectOtherSessionsOfContact,
  selectSessionIdsOfContact,
} from '../sessions/sessions.ts';
import { requireNoErasure } from './contacts.change.ts';
import {
  type ContactBefore,
  findMerge,
  insertMerge,
  isAnyVisible,
  type Merge,
  markUndone,
  selectMergesOnTop,
} from './contacts.merge.sql.ts';
import { requireContact, undoForMs } from './contacts.read.ts';
import {
  findContactRow,
  lockContacts,
  moveIdentifiers,
  noteContacts,
  type StoredIdentifier,
  selectIdentifiersOf,
  updateContactRow,
} from './contacts.sql.ts';

export async function mergeContacts(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  id: string,
  otherId: string,
): Promise<MergedContact> {
  const { accountId } = actor;
  await requireContact(tx, actor, visible, id);
  if (otherId === id) throw badRequest('contactId must be another contact');
  if (!isId(otherId)) throw badRequest('contactId does not exist');
  await lockContacts(tx, accountId, [id, otherId]);
  await requireContact(tx, actor, visible, id);
  const other = await requireContact(tx, actor, visible, otherId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (!other) throw badRequest('contactId does not exist');
  await requireNoErasure(tx, accountId, [id, otherId]);
  const [contact, merged] = [await readBefore(tx, accountId, id), await readBefore(tx, accountId, otherId)];
  const keys = (await selectIdentifiersOf(tx, accountId, id)).map(({ key }) => key);
  const identifierKeys = (await selectIdentifiersOf(tx, accountId, otherId)).map(({ key }) => key);
  const keptSessionIds = await selectSessionIdsOfContact(tx, accountId, id);
  const sessionIds = await selectSessionIdsOfContact(tx, accountId, otherId);
  const before = { contact, merged, keys };
  const merge: Merge = {
    id: newId(now),
    contactId: id,
    mergedId: otherId,
    at: now,
    undoneAt: null,
    before,
    identifierKeys,
    sessionIds,
    keptSessionIds,
  };
  await insertMerge(tx, accountId, merge);
  await moveIdentifiers(tx, accountId, identifierKeys, id);
  await moveSessionsToContact(tx, accountId, sessionIds, id);
  await updateContactRow(tx, accountId, { ...merged, mergedInto: id });
  await updateContactRow(tx, accountId, { ...contact, ...mergedName(before), updatedAt: now });
  await setContactBlock(tx, accountId, otherId, null);
  const blockedBy = contact.blockedBy ?? merged.blockedBy;
  if (blockedBy !== contact.blockedBy) await setContactBlock(tx, accountId, id, blockedBy);
  await blockContactsOf(tx, accountId, [id], now);
  await noteContacts(tx, accountId, [id, otherId]);
  await audit(tx, actor, now, {
    action: 'contact.merged',
    target: { type: 'contact', id },
    changes: { contactId: otherId, mergeId: merge.id },
  });
  return { ...(await requireContact(tx, actor, visible, id)), mergeId: merge.id };
}

async function readBefore(tx: Tx, accountId: string, id: string): Promise<ContactBefore> {
  const row = (await findContactRow(tx, accountId, id))!;
  return { ...row, blockedBy: await findContactBlock(tx, accountId, id) };
}

/** A contact without a name takes the other's. */
function mergedName({ contact, merged }: Merge['before']): Pick<ContactBefore, 'name' | 'nameSource'> {
  const { name, nameSource } = contact.name === null ? merged : contact;
  return { name, nameSource };
}

export async function undoMerge(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  mergeId: string,
): Promise<ContactDetails[]> {
  const { accountId } = actor;
  const found = isId(mergeId) ? await findMerge(tx, accountId, mergeId) : null;
  if (!found) throw notFound('merge');
  const { contactId, mergedId } = found;
  await lockContacts(tx, accountId, [contactId, mergedId]);
  const merge = await findMerge(tx, accountId, mergeId);
  const current = await findContactRow(tx, accountId, contactId);
  // Both were erased meanwhile.
  if (!merge || !current) throw notFound('merge');
  const shown = [contactId, mergedId, ...(current.mergedInto === null ? [] : [current.mergedInto])];
  if (visible !== null && !(await isAnyVisible(tx, accountId, shown, visible))) throw notFound('merge');
  await requireNoErasure(tx, accountId, shown);
  if (merge.undoneAt !== null) throw conflict('this merge was undone already');
  if (now - merge.at > undoForMs) {
    throw conflict(`a merge can be undone within ${contactLimits.undoDays} days`);
  }
  const onTop = await selectMergesOnTop(tx, accountId, merge);
  if (onTop.length > 0) {
    throw conflict(`undo the later merges of this contact first: ${onTop.join(', ')}`, { mergeIds: onTop });
  }
  const back = keysBack(await selectIdentifiersOf(tx, accountId, contactId), merge);
  await moveIdentifiers(tx, accountId, [...back], mergedId);
  await moveSessionsToContact(tx, accountId, await sessionsBack(tx, accountId, merge, back), mergedId);
  await restoreRows(tx, accountId, merge, current, now);
  await restoreBlocks(tx, accountId, merge, now);
  await markUndone(tx, accountId, mergeId, now);
  await noteContacts(tx, accountId, [contactId, mergedId]);
  await audit(tx, actor, now, {
    action: 'contact.merge_undone',
    target: { type: 'contact', id: contactId },
    changes: { contactId: mergedId, mergeId },
  });
  return [await requireContact(tx, actor, null, contactId), await requireContact(tx, actor, null, mergedId)];
}

/** Those that it had, and those that later came with one of them. */
function keysBack(identifiers: readonly StoredIdentifier[], { identifierKeys, before }: Merge): Set<string> {
  const back = new Set(identifierKeys);
  const kept = new Set(before.keys);
  const later = identifiers.filter(({ key }) => !back.has(key) && !kept.has(key));
  for (let size = -1; size < back.size; ) {
    size = back.size;
    for (const { key, viaKey } of later) if (viaKey !== null && back.has(viaKey)) back.add(key);
  }
  const present = new Set(identifiers.map(({ key }) => key));
  return new Set([...back].filter((key) => present.has(key)));
}

async function sessionsBack(
  tx: Tx,
  accountId: string,
  { contactId, sessionIds, keptSessionIds }: Merge,
  back: ReadonlySet<string>,
): Promise<string[]> {
  const known = [...sessionIds, ...keptSessionIds];
  const later = await selectOtherSessionsOfContact(tx, accountId, contactId, known);
  return [
    ...sessionIds,
    ...later.filter((one) => keysOf(one).some((key) => back.has(key))).map((one) => one.sessionId),
  ];
}

const keysOf = ({ channelId, channelType, externalUserId, sessionId }: SessionOfContact) =>
  mayIdentify({ id: channelId, type: channelType }, externalUserId ?? sessionId).map(identifierKey);

/** A name that was changed since the merge stays with the contact that was changed. */
async function restoreRows(
  tx: Tx,
  accountId: string,
  { before, at, contactId }: Merge,
  current: Pick<ContactBefore, 'name' | 'nameSource' | 'updatedAt'>,
  now: number,
): Promise<void> {
  const given = mergedName(before);
  const isRenamed = current.name !== given.name || current.nameSource !== given.nameSource;
  const { name, nameSource } = isRenamed ? current : before.contact;
  const updatedAt = current.updatedAt === at ? before.contact.updatedAt : now;
  await updateContactRow(tx, accountId, { ...before.contact, id: contactId, name, nameSource, updatedAt });
  await updateContactRow(tx, accountId, { ...before.merged, mergedInto: null });
}

/** Blocked or unblocked since the merge counts for both, as it was when both were one. */
async function restoreBlocks(tx: Tx, accountId: string, merge: Merge, now: number): Promise<void> {
  const { contactId, mergedId, before } = merge;
  const blockedBy = await findContactBlock(tx, accountId, contactId);
  const isAsMerged = blockedBy === (before.contact.blockedBy ?? before.merged.blockedBy);
  await setContactBlock(tx, accountId, contactId, isAsMerged ? before.contact.blockedBy : blockedBy);
  await setContactBlock(tx, accountId, mergedId, isAsMerged ? before.merged.blockedBy : blockedBy);
  await blockContactsOf(tx, accountId, [contactId, mergedId], now);
}
