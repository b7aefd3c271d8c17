/**
 * Whether stored data names the person. Ids of ours are unique. Ids that others choose are not: `42` is a customer of one
 * channel, a price and a session of somebody else. So a customer is compared together with the channel, a conversation
 * only where a property is called so, and in text only phone numbers and e-mail addresses are looked for.
 */

import {
  blockKey,
  contactKey,
  type Identifier,
  identifierKey,
  mayIdentify,
} from '../../blocked-contacts/blocked-contacts.ts';
import type { Person } from './erasures.sql.ts';

export interface Matcher {
  /** Contacts, records, and articles that were drafted from conversations. */
  ids: ReadonlySet<string>;
  sessionIds: ReadonlySet<string>;
  /** A phone number or an e-mail address, also in the form in which somebody typed it: `+55 11 99999-8888`. */
  isIdentifier(text: string): boolean;
  /** A phone number or an e-mail address that is not part of a longer one. */
  isIn(text: string): boolean;
  /** Of parsed JSON. */
  names(value: unknown): boolean;
  /** Of JSON, of a form, or of other text. `channel`: the provider of it sent the body, and names people by its own ids. */
  isInBody(body: string, channel?: { id: string; type: string } | null): boolean;
  isCustomer(channel: { id: string; type: string }, customer: string): boolean;
  /** The block list names people by identifiers without a channel. */
  isBlocked(text: string): boolean;
}

/** Properties that hold ids of conversations. */
export const sessionProperties = new Set(['sessionId', 'sessionIds']);

export function matcherOf(person: Person): Matcher {
  const { contactIds, recordIds, draftIds = [], identifiers } = person;
  const ids = new Set([...contactIds, ...recordIds, ...draftIds]);
  const sessionIds = new Set(person.sessionIds);
  const keys = new Set(identifiers.map((one) => identifierKey(one as Identifier)));
  const blocked = new Set(identifiers.map(({ kind, value }) => blockKey(kind, value)));
  const written = identifiers.filter(({ kind }) => kind === 'phone' || kind === 'email');
  const values = new Set(written.map(({ value }) => value));
  const inText = expressionOf(written);

  const isShort = (text: string) => text !== '' && text.length <= 1_000;
  const isIdentifier = (text: string) => isShort(text) && values.has(contactKey(text));
  const isIn = (text: string) => inText?.test(text) === true || isIdentifier(text);
  const names = (value: unknown, property = ''): boolean => {
    if (typeof value === 'string') {
      return ids.has(value) || isIn(value) || (sessionProperties.has(property) && sessionIds.has(value));
    }
    if (typeof value === 'number') return values.has(String(value));
    if (value === null || typeof value !== 'object') return false;
    if (Array.isArray(value)) return value.some((one) => names(one, property));
    return Object.entries(value).some(([key, one]) => names(one, key) || isIn(key));
  };
  return {
    ids,
    sessionIds,
    isIdentifier,
    isIn,
    names: (value) => names(value),
    isInBody(body, channel) {
      const value = parsed(body);
      const own = identifiers.filter(({ channelId }) => channel && channelId === channel.id);
      if (value !== undefined) {
        const ownValues = new Set(own.map((one) => one.value));
        return names(value) || (own.length > 0 && hasLeaf(value, (leaf) => ownValues.has(contactKey(leaf))));
      }
      if (own.some((one) => new RegExp(wordOf(one)).test(body))) return true;
      return isIn(body) || [...new URLSearchParams(body).values()].some(isIn);
    },
    isCustomer: (channel, customer) =>
      mayIdentify(channel, customer).some((one) => keys.has(identifierKey(one))),
    isBlocked: (text) => isShort(text) && blocked.has(contactKey(text)),
  };
}

/** Whether a text or a number in it fits; keys are names of properties. */
export function hasLeaf(value: unknown, fits: (leaf: string) => boolean): boolean {
  if (typeof value === 'string' || typeof value === 'number') {
    const leaf = String(value);
    return leaf.length <= 255 && fits(leaf);
  }
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some((one) => hasLeaf(one, fits));
}

const escaped = (value: string) => value.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
const wordOf = ({ value }: { value: string }) => `(?<![\\w])${escaped(value)}(?![\\w])`;

/** Whole words, in any case. Null: there is nothing to look for. */
export function anyWord(texts: readonly string[]): RegExp | null {
  const words = texts.filter((text) => text !== '').map(escaped);
  return words.length > 0
    ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
    : null;
}

/** Null: there is nothing to look for. */
function expressionOf(identifiers: Person['identifiers']): RegExp | null {
  if (identifiers.length === 0) return null;
  const words = identifiers.map(({ kind, value }) => {
    const word = escaped(value);
    // `x.ada@example.com` and `ada@example.com.br` are other addresses.
    return kind === 'email'
      ? `(?<![\\p{L}\\p{N}._%+-])${word}(?!\\.?[\\p{L}\\p{N}-])`
      : `(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`;
  });
  return new RegExp(words.join('|'), 'iu');
}

/** Undefined: it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
