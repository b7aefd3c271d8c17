/** Addresses that receive what customers write. Setting one is a way to read conversations, as with a webhook. */
import { forbidden } from '../../platform/http/errors.ts';
import { type Actor, may } from '../accounts/accounts.ts';

export function requireAddressRight(actor: Actor, field: string): void {
  if (may(actor, 'webhooks.manage')) return;
  throw forbidden(
    `${field} needs the permission webhooks.manage as well: it decides who receives what customers write`,
  );
}
