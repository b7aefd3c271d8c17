/**
 * The identifiers of customers: which kind the id of a customer on a channel is, and the keys by which contacts and the
 * block list find it. Values are normalised with contactKey. Keys are stored (contact_identifiers, blocked_contacts).
 */
import type { IdentifierKind } from '../../../contract/connectors.ts';
import type { ChannelType } from '../../../contract/limits.ts';
import { contactKey, identifierTypeOf, isEmailKey, isPhoneKey } from './blocked-contacts.identifier.ts';

export interface Identifier {
  kind: IdentifierKind;
  /** Normalised. */
  value: string;
  /** Set for `web` and `external`, whose values mean something on that channel only. */
  channelId: string | null;
}

/** What a customer's id on a channel is. */
export function identify(channel: { id: string; type: string }, text: string): Identifier {
  const value = contactKey(text);
  const kind = kindOn(channel.type as ChannelType, value);
  return { kind, value, channelId: isOfChannel(kind) ? channel.id : null };
}

/**
 * What it may be on this channel: some providers give their customers ids of digits, others phone numbers, and the type of
 * the channel is the same.
 */
export function mayIdentify(channel: { id: string; type: string }, text: string): Identifier[] {
  const likely = identify(channel, text);
  return likely.kind === 'phone' && channel.type === 'chatapp'
    ? [likely, { ...likely, kind: 'chatapp' }]
    : [likely];
}

function kindOn(type: ChannelType, value: string): IdentifierKind {
  if (type === 'web' || type === 'chatbot') return type;
  if (isPhoneKey(value)) return 'phone';
  if (value.endsWith('@lid')) return 'chatapp';
  if (isEmailKey(value)) return 'email';
  return type === 'api' || type === 'sms' ? 'external' : 'chatapp';
}

/** Of an identifier whose kind is known. Null: its value does not have the form of its kind. */
export function toIdentifier(
  kind: IdentifierKind,
  text: string,
  channelId: string | null,
): Identifier | null {
  const value = contactKey(text);
  if (value === '') return null;
  if (kind === 'phone' && !isPhoneKey(value)) return null;
  if (kind === 'email' && !isEmailKey(value)) return null;
  // `5511999998888@c.us` is a phone number, whatever its kind says. Digits alone are the id that their provider calls it.
  if (kind === 'chatapp' && isPhoneKey(value) && identifierTypeOf(text) === 'chatapp')
    return { kind: 'phone', value, channelId: null };
  if (isOfChannel(kind)) return channelId === null ? null : { kind, value, channelId };
  return { kind, value, channelId: null };
}

export const isOfChannel = (kind: IdentifierKind) => kind === 'web' || kind === 'external';

export function identifierKey({ kind, value, channelId }: Identifier): string {
  return channelId === null ? `${kind}:${value}` : `${kind}:${channelId}:${value}`;
}

/** Chat ids and visitors are compared with entries that were made for them: their digits are no phone number. */
export function blockKey(kind: string, value: string): string {
  return kind === 'web' || kind === 'chatbot' ? `${kind}:${value}` : value;
}
