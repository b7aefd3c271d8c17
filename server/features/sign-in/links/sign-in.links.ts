/**
 * Links that are used once. Their token is the account's tag and 256 random bits; only its hash is stored. It is behind the
 * `#` of the address, which browsers do not send: it is in no log of a proxy.
 */
import { randomBytes } from 'node:crypto';
import { accountInTag, linkTokenLength, tagOf } from '../../../platform/cells/account-tag.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { sha256 } from '../../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  type Client,
  describeSignedIn,
  insertLink,
  type LinkKind,
  type SessionDeps,
  type SignedInWithCookie,
  takeLink,
} from '../../accounts/accounts.ts';
import { beginSession } from '../sign-in.session.ts';

const loginLinkMs = 15 * 60_000;

const pages = {
  invitation: 'invitation',
  password_reset: 'reset-password',
  login: 'login-link',
} as const;

export function linkAddress(publicUrl: string, page: keyof typeof pages, token: string): string {
  return `${publicUrl}/app/${pages[page]}#${token}`;
}

export function newLinkToken(accountId: string): string {
  return tagOf(accountId) + randomBytes(32).toString('base64url');
}

/** Null: it is not the token of a link. */
export function accountOfLink(token: string): string | null {
  return accountInTag(token, linkTokenLength);
}

export const linkEnded = () => badRequest('the link has expired or was used already');

export async function createLink(
  tx: Tx,
  user: { accountId: string; id: string },
  kind: LinkKind,
  { now, lifetimeMs }: { now: number; lifetimeMs: number },
): Promise<{ token: string; expiresAt: number }> {
  const token = newLinkToken(user.accountId);
  const expiresAt = now + lifetimeMs;
  await insertLink(tx, user.accountId, { tokenHash: sha256(token), userId: user.id, kind, now, expiresAt });
  return { token, expiresAt };
}

/** Signs the user in without password and provider. Only the command line creates one. */
export async function createLoginLink(
  tx: Tx,
  actor: Actor,
  now: number,
  userId: string,
  publicUrl: string,
): Promise<{ link: string; expiresAt: number }> {
  const user = { accountId: actor.accountId, id: userId };
  const { token, expiresAt } = await createLink(tx, user, 'login', { now, lifetimeMs: loginLinkMs });
  await audit(tx, actor, now, { action: 'user.login_link_created', target: { type: 'user', id: userId } });
  return { link: linkAddress(publicUrl, 'login', token), expiresAt };
}

export async function signInWithLink(
  deps: SessionDeps,
  token: string,
  client: Client,
): Promise<SignedInWithCookie> {
  const accountId = accountOfLink(token);
  if (accountId === null) throw linkEnded();
  const now = deps.clock.now();
  const { user, session } = await deps.db.transaction(async (tx) => {
    // If the session is refused, the link is as it was.
    const id = await takeLink(tx, accountId, { tokenHash: sha256(token), kind: 'login', now });
    if (id === null) throw linkEnded();
    return beginSession(tx, deps, { accountId, id }, client, { now, method: 'login_link' });
  });
  return { signedIn: await describeSignedIn(deps, user, session.id), cookie: session.cookie };
}
