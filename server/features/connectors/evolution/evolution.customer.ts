/** Addresses of the gateway (`<user>[:device]@<server>`) as customers, and customers as addresses. */
import type { IdentifierKind } from '../../../../contract/connectors.ts';
import type { Address, Customer } from '../connectors.provider.ts';
import { textOf, type Values } from '../connectors.values.ts';

const addressForm = /^(\d{1,30}(?:-\d{1,30})?)(?::\d{1,5})?@(s\.whatsapp\.net|c\.us|lid|g\.us)$/;

export type Identifier = { kind: IdentifierKind; value: string };

/** Null for an address of no person and no group: status updates, broadcast lists, newsletters. */
export function identifierOf(address: unknown): Identifier | null {
  const [, user, server] = addressForm.exec(textOf(address) ?? '') ?? [];
  if (!user || !server) return null;
  if (server === 'lid' || server === 'g.us') return { kind: 'chatapp', value: `${user}@${server}` };
  return user.includes('-') ? null : { kind: 'phone', value: user };
}

export const isGroup = (address: unknown): boolean => (textOf(address) ?? '').endsWith('@g.us');

/** Both identifiers of the key, the phone number first. Null if the key names no person. */
export function customerOf(key: Values, name: string | null): Customer | null {
  const first = identifierOf(key.remoteJid);
  if (!first) return null;
  const other = isGroup(key.remoteJid) || isGroup(key.remoteJidAlt) ? null : identifierOf(key.remoteJidAlt);
  const identifiers = other && other.value !== first.value ? [first, other] : [first];
  identifiers.sort((a, b) => Number(b.kind === 'phone') - Number(a.kind === 'phone'));
  return { id: identifiers[0]!.value, identifiers, name };
}

/** What `number` of a send is: digits, or the whole LID or group. */
export const numberFor = (to: Address): string =>
  to.customerId.includes('@') ? to.customerId : to.customerId.replace(/\D/g, '');

/** The address in a message's key. */
export function addressFor(to: Address): string {
  const number = numberFor(to);
  return number.includes('@') ? number : `${number}@s.whatsapp.net`;
}
