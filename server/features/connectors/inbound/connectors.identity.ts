/**
 * A customer has become known by another identifier: it joins the contact that has the previous one, and the conversation
 * goes on under it. The item is in the lane of the new identifier, before the messages that come under it.
 */

import { newId } from '../../../platform/ids.ts';
import { JobPostponed } from '../../../platform/jobs/jobs.ts';
import {
  blockTold,
  contactKey,
  type Identifier,
  identifierKey,
  toIdentifier,
} from '../../blocked-contacts/blocked-contacts.ts';
import { type ContactChange, contactChange, endPhoneNumbers, joinContact } from '../../contacts/contacts.ts';
import { commitConversations } from '../../messages/messages.ts';
import { openSession } from '../../sessions/sessions.ts';
import type { OpenLink } from '../connectors.links.ts';
import type { Customer, Inbound } from '../connectors.provider.ts';
import { findConversation } from './connectors.conversation.ts';
import {
  finishItems,
  hasWaiting,
  type Lane,
  type Outcome,
  type WaitingItem,
} from './connectors.items.sql.ts';
import { AlreadyDone, type StoreDeps } from './connectors.store.ts';

type Identity = Extract<Inbound, { type: 'identity' }>;

const defaultNotice = 'The customer changed their number. The conversation goes on with the new one.';
/** Messages of the previous identifier that came before may still be on their way to the conversation. */
const waitMs = 500;
const longestWaitMs = 60_000;

export async function applyIdentity(
  deps: StoreDeps,
  lane: Lane,
  { provider }: OpenLink,
  waiting: WaitingItem,
): Promise<void> {
  const { db, clock } = deps;
  const { accountId, channelId } = lane;
  const { customer, previous, notice } = waiting.item as Identity;
  const before = { id: previous[0]!.value, identifiers: previous, name: null };
  const { sessionId, exists } = await findConversation(db, lane, provider.kind, before);
  if (!exists) {
    const isNew = clock.now() < waiting.receivedAt + longestWaitMs;
    const ids = previous.map(({ value }) => value);
    if (isNew && (await hasWaiting(db, lane, ids))) throw new JobPostponed(waitMs);
  }
  await db.transaction(async (tx) => {
    const finish = async (outcome: Outcome) => {
      if (!(await finishItems(tx, accountId, [waiting.id], outcome, clock.now()))) throw new AlreadyDone();
    };
    const told = identifiersOf(customer.identifiers, channelId);
    const identifiers = [...identifiersOf(previous, channelId), ...told];
    const person = { externalUserId: null, identifiers, isTold: true, creates: true };
    const opened = exists ? await openSession(tx, accountId, sessionId, person) : null;
    const state = opened?.state;
    if (!opened || !state) return finish({ state: 'dropped', reason: 'the previous identifier is unknown' });
    const now = Math.max(clock.now(), state.lastMessageAt);
    const messageId = newId(now);
    const place = { name: null, sessionName: null, channelId, messageId, now };
    const contact = onlyNew(contactChange(opened, person, place), told);
    // An identifier that another contact has stays there: the dashboard offers to merge the two.
    const isFree = !contact || contact.offers.length === 0;
    const contactId = state.contactId ?? contact?.contactId ?? null;
    const position = state.messageCount + 1;
    await commitConversations(
      tx,
      accountId,
      [
        {
          session: {
            ...state,
            ...(isFree && { externalUserId: customer.id, contactKey: contactKey(customer.id) }),
            contactId,
            messageCount: position,
            updatedAt: now,
          },
          isNewSession: false,
          messages: [
            { id: messageId, position, role: 'system', content: notice ?? defaultNotice, timestamp: now },
          ],
          record: null,
          contact,
          reply: null,
          events: [],
        },
      ],
      null,
    );
    if (contactId !== null) await endPhoneNumbers(tx, accountId, contactId, told, now);
    await finish({ state: 'done', sessionId, messageId });
  });
}

/** A message of a blocked customer is dropped, but not what it tells: neither identifier gets through from now on. */
export async function joinBlocked(deps: StoreDeps, lane: Lane, customer: Customer): Promise<void> {
  const { db, clock, blockHash } = deps;
  const { accountId, channelId } = lane;
  const identifiers = identifiersOf(customer.identifiers, channelId);
  if (identifiers.length < 2) return;
  await db.transaction(async (tx) => {
    const now = clock.now();
    if (await blockTold(tx, accountId, identifiers, blockHash, now)) return;
    await joinContact(tx, accountId, identifiers, now);
  });
}

const identifiersOf = (given: Identity['previous'], channelId: string): Identifier[] =>
  given.flatMap(({ kind, value }) => toIdentifier(kind, value, channelId) ?? []);

/** The previous ones are over: a contact that does not have them gets only the new ones. */
function onlyNew(change: ContactChange | null, told: readonly Identifier[]): ContactChange | null {
  if (!change || change.isNew) return change;
  const keys = told.map(identifierKey);
  return {
    ...change,
    added: change.added.filter(({ identifier }) => keys.includes(identifierKey(identifier))),
  };
}
