/**
 * What a message changes in contacts: a new conversation gets its contact, a provider tells another identifier or a
 * name. Decided from what openSession found, written with the message in its own statement.
 */
import type { IdentifierKind } from '../../../contract/connectors.ts';
import { newId } from '../../platform/ids.ts';
import {
  type Identifier,
  identifierKey,
  identify,
  toIdentifier,
} from '../blocked-contacts/blocked-contacts.ts';
import type { OpenedSession, RequestCustomer, SessionState } from '../sessions/sessions.ts';

/** A customer as a provider describes them with a message. */
export interface ToldCustomer {
  /** The best first. */
  identifiers: readonly { kind: IdentifierKind; value: string }[];
  name: string | null;
}

export interface ContactChange {
  contactId: string;
  isNew: boolean;
  /** Null: unknown. */
  name: { text: string; source: 'session' | 'provider' } | null;
  /** Identifiers that it gets, and the one that they came with. */
  added: { identifier: Identifier; viaKey: string | null }[];
  /** Identifiers of other contacts that came with `key`; null: with the conversation. */
  offers: { key: string | null; otherKey: string }[];
  told: readonly Identifier[];
  channelId: string;
  messageId: string;
  now: number;
}

type Channel = { id: string; type: string };

/** The customer that the request names; null: none. */
export function customerOf(
  channel: Channel,
  { sessionId, externalUserId }: { sessionId: string; externalUserId?: string },
  told?: ToldCustomer,
): RequestCustomer | null {
  // An unknown visitor of the web chat is known by their conversation.
  const id = externalUserId ?? (channel.type === 'web' ? sessionId : null);
  const own = id === null ? [] : [identify(channel, id)];
  const others = (told?.identifiers ?? []).flatMap(
    ({ kind, value }) => toIdentifier(kind, value, channel.id) ?? [],
  );
  // What the provider calls it wins: the id of a chat may look like a phone number.
  const identifiers = others.length > 0 ? others : own;
  if (identifiers.length === 0 || identifiers.some(({ value }) => value === '')) return null;
  return {
    externalUserId: id,
    identifiers: distinct(identifiers),
    isTold: told !== undefined,
    creates: true,
  };
}

function distinct(identifiers: readonly Identifier[]): Identifier[] {
  return [...new Map(identifiers.map((one) => [identifierKey(one), one])).values()];
}

/** The customer of a conversation that has no contact yet; null: it has no customer. */
export function customerOfSession(channel: Channel, session: SessionState): RequestCustomer | null {
  const { sessionId, externalUserId } = session;
  return customerOf(channel, { sessionId, ...(externalUserId !== null && { externalUserId }) });
}

/**
 * Null: contacts stay as they are. `before` is the conversation as it was found; a request that names another customer
 * than the conversation's says nothing about either.
 */
export function contactChange(
  opened: OpenedSession,
  customer: RequestCustomer | null,
  {
    name,
    sessionName,
    ...place
  }: { name: string | null; sessionName: string | null; channelId: string; messageId: string; now: number },
): ContactChange | null {
  const before = opened.state;
  const known = before?.contactId ?? null;
  const named = name !== null ? ({ text: name, source: 'provider' } as const) : nameOf(before, sessionName);
  const identifiers = customer?.identifiers ?? [];
  const base = { name: named, told: identifiers, ...place };
  const isSame =
    before === null ||
    before.externalUserId === null ||
    customer?.isTold === true ||
    opened.contactKey === before.contactKey;
  const wasLookedUp =
    isSame && (known === null || customer?.isTold === true || isNewCustomer(before, customer));
  if (identifiers.length === 0 || !wasLookedUp) {
    return known !== null && named
      ? { ...base, contactId: known, isNew: false, added: [], offers: [] }
      : null;
  }
  const owners = identifiers.map((one) => ({ one, owner: opened.contacts.get(identifierKey(one)) ?? null }));
  const contactId = known ?? owners.find(({ owner }) => owner !== null)?.owner ?? null;
  const anchor = owners.find(({ owner }) => owner !== null && owner === contactId)?.one ?? null;
  const anchorKey = anchor && identifierKey(anchor);
  const missing = owners.filter(({ owner }) => owner === null).map(({ one }) => one);
  const firstKey = anchorKey ?? identifierKey(missing[0] ?? identifiers[0]!);
  const change: ContactChange = {
    ...base,
    contactId: contactId ?? newId(place.now),
    isNew: contactId === null,
    added: missing.map((identifier) => ({
      identifier,
      viaKey: identifierKey(identifier) === firstKey ? null : firstKey,
    })),
    offers: owners
      .filter(({ owner }) => owner !== null && owner !== contactId)
      .map(({ one }) => ({ key: anchorKey, otherKey: identifierKey(one) })),
  };
  const changesNothing = known !== null && !named && change.added.length + change.offers.length === 0;
  return changesNothing ? null : change;
}

/** The conversation had no customer until now. */
const isNewCustomer = (before: SessionState | null, customer: RequestCustomer | null) =>
  before !== null && before.externalUserId === null && customer?.externalUserId !== before.sessionId;

/** The name of a conversation is that of its contact only while there is none. */
function nameOf(before: SessionState | null, sessionName: string | null): ContactChange['name'] {
  if (sessionName === null || sessionName === before?.sessionName) return null;
  return { text: sessionName, source: 'session' };
}
