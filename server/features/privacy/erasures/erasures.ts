/** Erasing a person. The request notes it and answers; the job of erasures.jobs.ts does the work. */
import type { Erasure, ErasureAccepted } from '../../../../contract/erasures.ts';
import { selectBackups } from '../../../platform/db/backups.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { conflict, notFound } from '../../../platform/http/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue } from '../../../platform/jobs/jobs.ts';
import { type Actor, audit } from '../../accounts/accounts.ts';
import { lockContacts, requireContact } from '../../contacts/contacts.ts';
import { isPossibleId, lockSession, requireSession } from '../../sessions/sessions.ts';
import { conversationsOf } from './erasures.export.ts';
import { findRecordsNaming } from './erasures.kept-records.ts';
import {
  deleteConversation,
  deleteJobs,
  deleteNotifications,
  isAnyOnOtherBoard,
  isSession,
  selectIdentifiers,
  selectMergedContacts,
  selectOtherFiles,
} from './erasures.person.sql.ts';
import {
  findErasure,
  findOpenDeletion,
  findOpenErasure,
  insertErasure,
  type OpenErasure,
  type Person,
  resumeErasure,
} from './erasures.sql.ts';

export { messageDeletionJobKind } from './erasures.message.ts';

export const erasureJobKind = jobKind('erasure');
/** Attempts without progress; a batch that removes something resets the count. */
export const erasureAttempts = 10;

/**
 * A second request while the first one runs gets the same answer. One that failed continues, also if the contact itself
 * is already gone.
 */
export async function requestErasure(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  contactId: string,
  keepsRecords: boolean,
): Promise<ErasureAccepted> {
  const { accountId } = actor;
  if (!isId(contactId)) throw notFound('contact');
  await lockContacts(tx, accountId, [contactId]);
  const open = await findOpenErasure(tx, accountId, contactId);
  if (open && open.keepsRecords !== keepsRecords) {
    const first = open.keepsRecords ? 'with records=keep' : 'without records=keep';
    throw conflict(`the erasure of this contact was requested ${first}`, { erasureId: open.id });
  }
  if (open?.state === 'running') return { erasureId: open.id, backups: open.backups };
  if (!open) await requireContact(tx, actor, visible, contactId);
  if (visible !== null) await requireWhollyVisible(tx, accountId, visible, contactId);
  const accepted = open
    ? await resume(tx, accountId, open, false)
    : await begin(tx, accountId, now, { contactId, keepsRecords, person: null });
  await audit(tx, actor, now, {
    action: 'contact.erasure_requested',
    target: { type: 'contact', id: contactId },
    changes: { erasureId: accepted.erasureId, records: keepsRecords ? 'keep' : 'erase' },
  });
  return accepted;
}

/** A person is erased as a whole: not by somebody who may not see all that goes, also from cards that stay. */
async function requireWhollyVisible(
  tx: Tx,
  accountId: string,
  visible: readonly string[],
  contactId: string,
): Promise<void> {
  const conversations = await conversationsOf(tx, accountId, contactId);
  const sessionIds = conversations.map(({ sessionId }) => sessionId);
  const contactIds = await selectMergedContacts(tx, accountId, contactId);
  const identifiers = await selectIdentifiers(tx, accountId, contactIds);
  const recordIds = await findRecordsNaming(tx, accountId, sessionIds, identifiers);
  if (
    conversations.some(({ kanbanId }) => !visible.includes(kanbanId)) ||
    (await isAnyOnOtherBoard(tx, accountId, recordIds, visible))
  ) {
    throw conflict(
      'this person has conversations or records on boards that are closed to you: ask an administrator to erase them',
    );
  }
}

/** The contact and the record stay. */
export async function requestDeletion(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  sessionId: string,
): Promise<ErasureAccepted> {
  const { accountId } = actor;
  if (!isPossibleId(sessionId)) throw notFound('session');
  await lockSession(tx, accountId, sessionId);
  const open = await findOpenDeletion(tx, accountId, sessionId);
  if (open?.state === 'running') return { erasureId: open.id, backups: open.backups };
  if (open) {
    const isThere = await isSession(tx, accountId, sessionId);
    if (isThere) await requireSession(tx, actor, visible, sessionId);
    return resume(tx, accountId, open, isThere);
  }
  const { contactId } = await requireSession(tx, actor, visible, sessionId);
  const person = { contactIds: [], identifiers: [], sessionIds: [sessionId], customers: [], recordIds: [] };
  const accepted = await begin(tx, accountId, now, { contactId: null, keepsRecords: true, person });
  await audit(tx, actor, now, {
    action: 'session.deletion_requested',
    target: { type: 'erasure', id: accepted.erasureId },
    changes: { contactId },
  });
  return accepted;
}

async function begin(
  tx: Tx,
  accountId: string,
  now: number,
  erasure: { contactId: string | null; keepsRecords: boolean; person: Person | null },
): Promise<ErasureAccepted> {
  const backups = await selectBackups(tx);
  const id = newId(now);
  await insertErasure(tx, accountId, { ...erasure, id, backups, now });
  await enqueueErasure(tx, accountId, id);
  return { erasureId: id, backups };
}

async function resume(
  tx: Tx,
  accountId: string,
  { id }: OpenErasure,
  forgetsGone: boolean,
): Promise<ErasureAccepted> {
  const backups = await selectBackups(tx);
  await resumeErasure(tx, accountId, id, backups, forgetsGone);
  await enqueueErasure(tx, accountId, id);
  return { erasureId: id, backups };
}

const enqueueErasure = (tx: Tx, accountId: string, id: string) =>
  enqueue(tx, {
    accountId,
    kind: erasureJobKind,
    payload: { erasureId: id },
    dedupeKey: id,
    // The handler counts, so that the erasure ends with the job.
    maxAttempts: endlessAttempts,
  });

export async function requireErasure(db: Reader, accountId: string, id: string): Promise<Erasure> {
  const found = isId(id) ? await findErasure(db, accountId, id) : null;
  if (!found) throw notFound('erasure');
  const { state, removed, backups } = found;
  return { state, removed, backups };
}

/** Of a conversation whose messages are gone, in the same transaction: the rest of it. Returns the keys of its files. */
export async function removeConversation(tx: Tx, accountId: string, sessionId: string): Promise<string[]> {
  const fileKeys = await selectOtherFiles(tx, accountId, sessionId);
  await deleteConversation(tx, accountId, sessionId);
  const named = { sessionIds: [sessionId], recordIds: [] };
  await deleteNotifications(tx, accountId, named);
  await deleteJobs(tx, accountId, named);
  return fileKeys;
}
