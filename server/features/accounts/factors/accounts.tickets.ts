/**
 * Signed tickets for one step of a sign-in, and challenges for passkeys. They are not stored, so that requests cannot fill a
 * table by asking for them. A ticket that was used is noted until it expires (`spendTicket`).
 */
import { randomBytes } from 'node:crypto';
import { accountInTag, tagOf } from '../../../platform/cells/account-tag.ts';
import { isId } from '../../../platform/ids.ts';
import { hmac, isSignedBy, type Secrets, sha256 } from '../../../platform/secrets/secrets.ts';

export type TicketPurpose =
  /** The password was right. */
  | 'second-factor'
  /** Challenges of passkeys: to sign in with one alone, as second factor, to add one. */
  | 'passkey-sign-in'
  | 'passkey-factor'
  | 'passkey-registration';

export interface TicketOwner {
  accountId: string;
  userId: string;
  /** Must be the same when the ticket is used. */
  binding?: string;
}

export interface Ticket {
  owner: TicketOwner | null;
  expiresAt: number;
  hash: Buffer;
}

export interface SignInTickets {
  issue(
    purpose: TicketPurpose,
    owner: TicketOwner | null,
    now: number,
  ): { ticket: string; expiresAt: number };
  /** Null: not a ticket for this purpose, or expired. */
  read(purpose: TicketPurpose, text: string, now: number): Ticket | null;
}

const lifeMs = 5 * 60_000;
const keyPurpose = 'sign-in-ticket';

interface Payload {
  purpose: string;
  user: string | null;
  binding: string | null;
  expiresAt: number;
  nonce: string;
}

/** `<tag of the account>.<payload>.<signature>`. */
export function createSignInTickets(secrets: Secrets): SignInTickets {
  const keys = secrets.deriveKeys(keyPurpose);
  return {
    issue(purpose, owner, now) {
      const expiresAt = now + lifeMs;
      const nonce = randomBytes(16).toString('base64url');
      const payload: Payload = {
        purpose,
        user: owner?.userId ?? null,
        binding: owner?.binding ?? null,
        expiresAt,
        nonce,
      };
      const text = `${owner ? tagOf(owner.accountId) : ''}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
      return { ticket: `${text}.${hmac(keys[0]!, text).toString('base64url')}`, expiresAt };
    },
    read(purpose, text, now) {
      const [tag = '', encoded = '', signature = ''] = text.split('.', 4);
      if (!isSignedBy(keys, `${tag}.${encoded}`, Buffer.from(signature, 'base64url'))) return null;
      const payload = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as Payload;
      if (payload.purpose !== purpose || payload.expiresAt <= now) return null;
      const accountId = accountInTag(tag, 0);
      const owner =
        accountId !== null && payload.user !== null && isId(payload.user)
          ? { accountId, userId: payload.user, ...(payload.binding && { binding: payload.binding }) }
          : null;
      return { owner, expiresAt: payload.expiresAt, hash: sha256(`${tag}.${encoded}`) };
    },
  };
}
