/** Changes of a contact by people: its name, its identifiers, offers that they dismiss. */
import type { ContactDetails, ContactUpdate } from '../../../contract/contacts.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import {
  blockContactsOf,
  type Identifier,
  identifierKey,
  isOfChannel,
  keepIdentifiersBlocked,
  toIdentifier,
} from '../blocked-contacts/blocked-contacts.ts';
import { findChannelOfContact } from '../sessions/sessions.ts';
import { requireContact } from './contacts.read.ts';
import {
  deleteIdentifiers,
  dismissOffers,
  findContact,
  findContactRow,
  insertIdentifiers,
  isErasing,
  lockContacts,
  lockIdentifiers,
  noteContacts,
  selectIdentifiersByKeys,
  selectIdentifiersOf,
  updateContactRow,
} from './contacts.sql.ts';

type Given = NonNullable<ContactUpdate['addIdentifiers']>[number];

export async function changeContact(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  id: string,
  { name, addIdentifiers = [], removeIdentifiers = [] }: ContactUpdate,
): Promise<ContactDetails> {
  const { accountId } = actor;
  const before = await requireContact(tx, actor, visible, id);
  if (name?.trim() === '') throw badRequest('name must not be blank');
  const added = await Promise.all(
    addIdentifiers.map((one, index) => checkAdded(tx, accountId, id, one, `addIdentifiers[${index}]`)),
  );
  const removed = removeIdentifiers.map((one, index) => checkRemoved(one, `removeIdentifiers[${index}]`));
  await lockIdentifiers(tx, accountId, added);
  await lockContacts(tx, accountId, [id]);
  await requireNoErasure(tx, accountId, [id]);
  const row = await findContactRow(tx, accountId, id);
  if (!row || row.mergedInto !== null) throw notFound('contact');
  const own = await selectIdentifiersOf(tx, accountId, id);
  const isRemoved = (one: Identifier) =>
    removed.some(
      ({ kind, value, channelId }) =>
        kind === one.kind && value === one.value && (channelId === null || channelId === one.channelId),
    );
  const lost = own.filter(isRemoved);
  await deleteIdentifiers(
    tx,
    accountId,
    lost.map(({ key }) => key),
  );
  const isGivenAgain = ({ key }: { key: string }) => added.some((one) => identifierKey(one) === key);
  const gone = lost.filter((one) => !isGivenAgain(one));
  await keepIdentifiersBlocked(tx, accountId, id, gone, { createdBy: actor.id, now });
  const kept = new Set(own.filter((one) => !isRemoved(one)).map(({ key }) => key));
  const fresh = [...new Map(added.map((one) => [identifierKey(one), one])).values()].filter(
    (one) => !kept.has(identifierKey(one)),
  );
  const owners = await selectIdentifiersByKeys(tx, accountId, fresh.map(identifierKey));
  const [taken] = owners;
  if (taken) {
    const message = `another contact has the identifier ${taken.value} (${taken.kind})`;
    const shown = await findContact(tx, accountId, visible, taken.contactId);
    throw conflict(message, shown ? { contactId: taken.contactId } : undefined);
  }
  await insertIdentifiers(
    tx,
    accountId,
    fresh.map((identifier) => ({ contactId: id, identifier, at: now })),
  );
  const renamed = name === undefined ? row.name : (name?.trim() ?? null);
  const isRenamed = name !== undefined && (renamed !== row.name || row.nameSource !== 'user');
  if (!isRenamed && fresh.length === 0 && kept.size === own.length) return before;
  const nameSource = !isRenamed ? row.nameSource : renamed === null ? 'none' : 'user';
  await updateContactRow(tx, accountId, { ...row, name: renamed, nameSource, updatedAt: now });
  await blockContactsOf(tx, accountId, [id], now);
  await noteContacts(tx, accountId, [id]);
  const after = await requireContact(tx, actor, null, id);
  const told = (list: ContactDetails) => list.identifiers.map(({ kind, value }) => `${kind}:${value}`);
  await audit(tx, actor, now, {
    action: 'contact.updated',
    target: { type: 'contact', id },
    changes: {
      ...(isRenamed && { name: { from: before.name, to: after.name } }),
      ...(told(before).join() !== told(after).join() && {
        identifiers: { from: told(before), to: told(after) },
      }),
    },
  });
  return requireContact(tx, actor, visible, id);
}

/** The erasure knows whom it removes: identifiers and conversations must not go to another contact meanwhile. */
export async function requireNoErasure(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  if (await isErasing(tx, accountId, ids)) throw conflict('the contact is being erased');
}

/** Identifiers of one person: those that no contact has join the one that has the others, with its block. */
export async function joinContact(
  tx: Tx,
  accountId: string,
  identifiers: readonly Identifier[],
  now: number,
): Promise<void> {
  await lockIdentifiers(tx, accountId, identifiers);
  const owned = await selectIdentifiersByKeys(tx, accountId, identifiers.map(identifierKey));
  const [id, ...others] = new Set(owned.map(({ contactId }) => contactId));
  const keys = owned.map(({ key }) => key);
  const fresh = identifiers.filter((one) => !keys.includes(identifierKey(one)));
  if (id === undefined || others.length > 0 || fresh.length === 0) return;
  await lockContacts(tx, accountId, [id]);
  const row = await findContactRow(tx, accountId, id);
  if (!row || row.mergedInto !== null) return;
  await insertIdentifiers(
    tx,
    accountId,
    fresh.map((identifier) => ({ contactId: id, identifier, at: now })),
  );
  await updateContactRow(tx, accountId, { ...row, updatedAt: now });
  await blockContactsOf(tx, accountId, [id], now);
  await noteContacts(tx, accountId, [id]);
}

async function checkAdded(
  tx: Tx,
  accountId: string,
  contactId: string,
  { kind, value, channelId }: Given,
  field: string,
): Promise<Identifier> {
  let channel: string | null = null;
  if (isOfChannel(kind)) {
    const asked = channelId !== undefined && !isId(channelId) ? null : (channelId ?? null);
    const isUnknown = channelId !== undefined && asked === null;
    channel = isUnknown ? null : await findChannelOfContact(tx, accountId, contactId, kind === 'web', asked);
    if (channel === null) {
      throw badRequest(
        `${field}.channelId must be a channel${kind === 'web' ? ' of type web' : ''} of the account`,
      );
    }
  }
  return requireForm(toIdentifier(kind, value, channel), kind, field);
}

/** Without a channel it means all of the contact's with this value. */
function checkRemoved({ kind, value, channelId }: Given, field: string): Identifier {
  const one = requireForm(toIdentifier(kind, value, channelId ?? '*'), kind, field);
  return { ...one, channelId: one.channelId === '*' ? null : one.channelId };
}

const forms: { [kind: string]: string } = { phone: 'a phone number', email: 'an e-mail address' };

function requireForm(identifier: Identifier | null, kind: string, field: string): Identifier {
  if (!identifier) throw badRequest(`${field}.value must be ${forms[kind] ?? 'an identifier'}`);
  return identifier;
}

export async function dismissMergeOffer(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  id: string,
  otherId: string,
): Promise<void> {
  await requireContact(tx, actor, visible, id);
  const isDismissed = isId(otherId) && (await dismissOffers(tx, actor.accountId, id, otherId, now));
  if (!isDismissed) throw notFound('merge offer');
  await noteContacts(tx, actor.accountId, [id, otherId]);
  await audit(tx, actor, now, {
    action: 'contact.offer_dismissed',
    target: { type: 'contact', id },
    changes: { contactId: otherId },
  });
}
