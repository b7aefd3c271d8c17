/** Changes of contacts. What can be undone says so in its toast. */

import type {
  Contact,
  ContactDetails,
  ContactIdentifier,
  ContactUpdate,
  MergedContact,
} from '../../../contract/contacts.ts';
import { api } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh } from '../data/refresh.ts';
import { makeChange } from '../data/store/changes.ts';
import { downloadFile } from '../data/transfer.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { contactKey } from './contact-data.ts';
import { bestIdentifier, contactName } from './contact-words.tsx';

const pathOf = (id: string) => `/contacts/${encodeURIComponent(id)}`;

type IdentifierRef = Pick<ContactIdentifier, 'kind' | 'value'>;

async function reloadContacts(): Promise<void> {
  await Promise.all([keys.contacts, keys.sessions, ['session']].map((queryKey) => refresh(queryKey)));
}

const place = (contact: Partial<ContactDetails> & { id: string }) =>
  queryClient.setQueryData<ContactDetails>(contactKey(contact.id), (old) => old && { ...old, ...contact });

export async function changeContact(id: string, body: ContactUpdate): Promise<void> {
  place(await api<Contact>('PATCH', pathOf(id), { body }));
  void reloadContacts();
}

/** Contacts are not in the store: what a change shows is placed and put back here. */
async function makeContactChange<Answer>(
  contact: Contact,
  shown: { now: Partial<ContactDetails>; before: Partial<ContactDetails> },
  request: Parameters<typeof makeChange>[0]['request'],
  failed: string,
  again?: () => void,
): Promise<Answer | null> {
  const { id } = contact;
  place({ id, ...shown.now });
  const wanted = { request, edits: [], order: `contact ${id}`, failed };
  const { answer, isRejected } = await makeChange<Answer>(wanted, again);
  if (isRejected) place({ id, ...shown.before });
  // After a rejection too: others may have changed it, and what was put back may itself have been rejected.
  void reloadContacts();
  return answer;
}

/** Shown at once; put back with the reason when it is rejected. */
export async function renameContact(contact: Contact, name: string): Promise<void> {
  const answer = await makeContactChange<Contact>(
    contact,
    { now: { name }, before: { name: contact.name } },
    { method: 'PATCH', path: pathOf(contact.id), body: { name } },
    t('contacts.renameFailed'),
    () => void renameContact(contact, name),
  );
  if (answer) place(answer);
}

export async function removeIdentifier(contact: Contact, { kind, value }: IdentifierRef): Promise<void> {
  try {
    await changeContact(contact.id, { removeIdentifiers: [{ kind, value }] });
    toast.undo(t('contacts.identifier.removed', { value }), () => {
      changeContact(contact.id, { addIdentifiers: [{ kind, value }] }).catch((error: unknown) =>
        toast.failed(t('contacts.identifier.addFailed'), error),
      );
    });
  } catch (error) {
    toast.failed(t('contacts.identifier.removeFailed'), error);
  }
}

/** One identifier is enough: the service blocks every identifier of the contact. */
export async function setContactBlocked(contact: Contact, blocked: boolean, reason = ''): Promise<void> {
  const identifier = bestIdentifier(contact.identifiers);
  if (!identifier) return;
  const path = `/blocked-contacts/${encodeURIComponent(identifier.value)}`;
  const body = { identifierType: identifier.kind, ...(reason && { reason }) };
  const name = contactName(contact);
  const answer = await makeContactChange(
    contact,
    { now: { blocked }, before: { blocked: !blocked } },
    blocked ? { method: 'POST', path, body } : { method: 'DELETE', path },
    blocked ? t('contacts.block.failed') : t('contacts.unblock.failed'),
  );
  if (answer === null) return;
  toast.undo(
    blocked ? t('contacts.block.done', { name }) : t('contacts.unblock.done', { name }),
    () => void setContactBlocked(contact, !blocked, reason),
  );
}

/** `id` takes over everything of `otherId`. True: it did. */
export async function mergeContacts(id: string, otherId: string, otherName: string): Promise<boolean> {
  try {
    const { mergeId, ...contact } = await api<MergedContact>('POST', `${pathOf(id)}/merge`, {
      body: { contactId: otherId },
    });
    place(contact);
    queryClient.removeQueries({ queryKey: contactKey(otherId) });
    void reloadContacts();
    toast.undo(t('contacts.merge.done', { name: otherName }), () => void undoMerge(mergeId));
    return true;
  } catch (error) {
    toast.failed(t('contacts.merge.failed'), error);
    return false;
  }
}

export async function undoMerge(mergeId: string): Promise<void> {
  try {
    await api('POST', `/contacts/merges/${encodeURIComponent(mergeId)}/undo`);
    await reloadContacts();
    toast.done(t('contacts.merge.undone'));
  } catch (error) {
    toast.failed(t('contacts.merge.undoFailed'), error, () => void undoMerge(mergeId));
  }
}

export async function dismissOffer(contact: ContactDetails, otherId: string): Promise<void> {
  const { mergeOffers } = contact;
  const left = mergeOffers.filter(({ contactId }) => contactId !== otherId);
  await makeContactChange(
    contact,
    { now: { mergeOffers: left }, before: { mergeOffers } },
    { method: 'DELETE', path: `${pathOf(contact.id)}/merge-offers/${encodeURIComponent(otherId)}` },
    t('contacts.offer.dismissFailed'),
  );
}

/** True: the work has begun. */
export async function eraseContact(contact: Contact, keepsRecords: boolean): Promise<boolean> {
  try {
    await api('DELETE', `${pathOf(contact.id)}${keepsRecords ? '?records=keep' : ''}`);
    toast.done(t('contacts.erase.done'));
    void reloadContacts();
    return true;
  } catch (error) {
    toast.failed(t('contacts.erase.failed'), error);
    return false;
  }
}

export async function exportContact(contact: Contact): Promise<void> {
  try {
    await downloadFile(`${pathOf(contact.id)}/export`, `contact-${contact.id}.tar.gz`);
    toast.done(t('contacts.export.done'));
  } catch (error) {
    toast.failed(t('contacts.export.failed'), error, () => void exportContact(contact));
  }
}
