/**
 * Creates the contacts of conversations that are older than contacts, while the service runs. Each batch is a
 * transaction with its position in the table: a killed process loses one batch at most, and the next one goes on.
 */
import { languages } from '../../../contract/limits.ts';
import type { Tx } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { blockKey, type Identifier, identifierKey, identify } from '../blocked-contacts/blocked-contacts.ts';
import {
  fillContacts,
  type SessionWithoutContact,
  selectSessionsWithoutContact,
  visitorName,
} from '../sessions/sessions.ts';
import {
  insertContacts,
  lockBackfill,
  type NewContact,
  saveBackfill,
  selectBlocked,
} from './contacts.backfill.sql.ts';
import {
  insertIdentifiers,
  lockIdentifiers,
  lockSharedContacts,
  selectIdentifiersByKeys,
} from './contacts.sql.ts';

/** `busy`: another process is at it. */
export type BackfillResult = 'more' | 'done' | 'busy';

export async function backfillBatch(tx: Tx, size: number): Promise<BackfillResult> {
  const state = await lockBackfill(tx);
  if (!state) return 'busy';
  if (state.done) return 'done';
  const rows = await selectSessionsWithoutContact(tx, state.after, size);
  await addContacts(tx, rows, true);
  const done = rows.length < size;
  const last = rows.at(-1);
  await saveBackfill(tx, {
    after: last ? { accountId: last.accountId, sessionId: last.sessionId } : state.after,
    done,
  });
  return done ? 'done' : 'more';
}

/**
 * For conversations that were not made by a message. Without the locks of identifiers: there may be more than a server
 * has. If a message creates one of these contacts at the same moment, the transaction fails.
 */
export async function addContactsOfAccount(tx: Tx, accountId: string, size = 500): Promise<void> {
  let after: { accountId: string; sessionId: string } | null = null;
  for (;;) {
    const rows = await selectSessionsWithoutContact(tx, after, size, accountId);
    await addContacts(tx, rows, false);
    if (rows.length < size) return;
    after = rows.at(-1)!;
  }
}

async function addContacts(
  tx: Tx,
  rows: readonly (SessionWithoutContact & { hasCustomer: boolean })[],
  locksIdentifiers: boolean,
): Promise<void> {
  const wanted = rows.filter(({ hasCustomer }) => hasCustomer);
  for (const [accountId, ones] of Map.groupBy(wanted, (row) => row.accountId)) {
    await addContactsTo(tx, accountId, ones, locksIdentifiers);
  }
}

interface Known {
  session: SessionWithoutContact;
  identifier: Identifier;
  key: string;
}

/** As a message does: an identifier that is blocked makes no contact, one that a contact has leads to it. */
async function addContactsTo(
  tx: Tx,
  accountId: string,
  sessions: readonly SessionWithoutContact[],
  locksIdentifiers: boolean,
): Promise<void> {
  const named = sessions
    .map((session): Known => {
      const { channelId, channelType, externalUserId, sessionId } = session;
      const identifier = identify({ id: channelId, type: channelType }, externalUserId ?? sessionId);
      return { session, identifier, key: identifierKey(identifier) };
    })
    .filter(({ identifier }) => identifier.value !== '');
  const listKey = ({ identifier }: Known) => blockKey(identifier.kind, identifier.value);
  const identifiers = named.map((one) => one.identifier);
  if (locksIdentifiers) await lockIdentifiers(tx, accountId, identifiers);
  const blocked = await selectBlocked(tx, accountId, named.map(listKey));
  const free = named.filter((one) => !blocked.has(listKey(one)));
  const owners = await findOwners(tx, accountId, [...new Set(free.map(({ key }) => key))]);
  const created = new Map<string, NewContact>();
  for (const { key, identifier, session } of free.toSorted(
    (a, b) => a.session.createdAt - b.session.createdAt,
  )) {
    if (owners.has(key)) continue;
    const contact = created.get(key);
    if (contact) contact.name ??= nameOf(session);
    else
      created.set(key, {
        id: newId(session.createdAt),
        name: nameOf(session),
        identifier,
        at: session.createdAt,
      });
  }
  await insertContacts(tx, accountId, [...created.values()]);
  await insertIdentifiers(
    tx,
    accountId,
    [...created.values()].map(({ id, identifier, at }) => ({ contactId: id, identifier, at })),
  );
  await fillContacts(
    tx,
    accountId,
    free.map(({ session, key }) => ({
      sessionId: session.sessionId,
      contactId: owners.get(key) ?? created.get(key)!.id,
    })),
  );
}

/** Under their locks: a merge that moves an identifier meanwhile is waited for. */
async function findOwners(tx: Tx, accountId: string, keys: readonly string[]): Promise<Map<string, string>> {
  const locked = new Set<string>();
  for (;;) {
    const rows = await selectIdentifiersByKeys(tx, accountId, keys);
    const others = [...new Set(rows.map(({ contactId }) => contactId))].filter((id) => !locked.has(id));
    if (others.length === 0) return new Map(rows.map(({ key, contactId }) => [key, contactId]));
    await lockSharedContacts(tx, accountId, others);
    for (const id of others) locked.add(id);
  }
}

/** A name that the service made up is none. */
function nameOf({ sessionName, sessionId }: SessionWithoutContact): string | null {
  const isMadeUp = languages.some((language) => visitorName(language, sessionId) === sessionName);
  return isMadeUp ? null : sessionName;
}
