/** Customers of WhatsApp: known by a phone number, by a business-scoped user id (BSUID), or by both. */
import type { IdentifierKind } from '../../../../contract/connectors.ts';
import type { Address, Customer } from '../connectors.provider.ts';
import { listOf, objectOf, textOf, type Values } from '../connectors.values.ts';

export interface Identifier {
  kind: IdentifierKind;
  value: string;
}

const userIdForm = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
const phoneForm = /^\d{7,20}$/;

/** Digits; null where it is no phone number. */
export function phoneOf(value: unknown): string | null {
  const digits = (typeof value === 'number' ? String(value) : (textOf(value) ?? '')).replace(/^\+/, '');
  return phoneForm.test(digits) ? digits : null;
}

export function userIdOf(value: unknown): string | null {
  const id = textOf(value);
  return id !== null && userIdForm.test(id) ? id : null;
}

/** The phone number first: it is the customer's id where it is known. */
export function identifiersOf(phone: string | null, userId: string | null): Identifier[] {
  return [
    ...(phone === null ? [] : [{ kind: 'phone', value: phone } as const]),
    ...(userId === null ? [] : [{ kind: 'chatapp', value: userId } as const]),
  ];
}

export function customerWith(
  phone: string | null,
  userId: string | null,
  name: string | null,
): Customer | null {
  const identifiers = identifiersOf(phone, userId);
  return identifiers[0] ? { id: identifiers[0].value, identifiers, name } : null;
}

/** Of a message: its own fields, completed with the entry of `contacts` that is about the same person. */
export function customerOf(contacts: unknown, phoneField: unknown, userIdField: unknown): Customer | null {
  const phone = phoneOf(phoneField);
  const userId = userIdOf(userIdField);
  const all = listOf(contacts).map(objectOf);
  const contact =
    all.find((one) => userId !== null && userIdOf(one.user_id) === userId) ??
    all.find((one) => phone !== null && phoneOf(one.wa_id) === phone) ??
    (phone === null && userId === null && all.length === 1 ? all[0] : undefined);
  return customerWith(
    phone ?? phoneOf(contact?.wa_id),
    userId ?? userIdOf(contact?.user_id),
    contact ? nameOf(objectOf(contact.profile)) : null,
  );
}

function nameOf(profile: Values): string | null {
  const username = textOf(profile.username)?.trim();
  return textOf(profile.name)?.trim() || (username ? `@${username}` : null);
}

/**
 * A BSUID in `to` is answered with 200 and never delivered. A phone number is used wherever one is known; the frame
 * leaves out those that a recorded change has ended.
 */
export function recipientOf({ customerId, identifiers }: Address): { to: string } | { recipient: string } {
  const own = phoneOf(customerId);
  if (own !== null) return { to: own };
  const phone = identifiers.findLast(({ kind }) => kind === 'phone')?.value;
  return phone === undefined ? { recipient: customerId } : { to: phone };
}
