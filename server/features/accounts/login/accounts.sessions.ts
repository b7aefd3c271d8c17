/**
 * Login sessions of users. Every use of a refresh cookie replaces it. All cookies of a session share a secret part,
 * the family: an old one that is used again was copied, and ends the session.
 */
import { randomBytes } from 'node:crypto';
import type { LoginSession } from '../../../../contract/accounts.ts';
import type { Permission } from '../../../../contract/roles/permissions.ts';
import { tagOf } from '../../../platform/cells/account-tag.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import type { AddressRange } from '../../../platform/http/client-address.ts';
import { accountSuspended, notFound, unauthorized } from '../../../platform/http/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import { hmac, type Secrets, sameBytes, sha256 } from '../../../platform/secrets/secrets.ts';
import type { UserActor } from '../accounts.actor.ts';
import type { Authenticator } from '../accounts.authenticate.ts';
import { checkSignInAddress } from '../addresses/accounts.addresses.ts';
import { requireActive } from '../lifecycle/accounts.lifecycle.ts';
import { permissionsOf } from '../roles/accounts.permissions.ts';
import {
  deleteSession,
  deleteSessionByRefresh,
  deleteSessionOfUser,
  deleteSessions,
  insertSession,
  type LockedSession,
  lockCredentials,
  lockSessionOfCookie,
  rotateSession,
  type SessionMethod,
  type SessionOwner,
  selectSessions,
} from './accounts.sessions.sql.ts';

export interface SessionDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  secrets: Secrets;
  authenticator: Authenticator;
  config: { instanceAdminAddresses: readonly AddressRange[] };
}

/** Where a request comes from, for the list of sessions. */
export interface Client {
  address: string;
  userAgent: string | null;
}

export interface SignedIn {
  token: string;
  expiresAt: number;
  user: Pick<
    SessionOwner,
    | 'id'
    | 'email'
    | 'name'
    | 'role'
    | 'roleId'
    | 'isInstanceAdmin'
    | 'language'
    | 'theme'
    | 'undoSendSeconds'
    | 'seenRelease'
    | 'availability'
  > & { permissions: Permission[] };
  account: { id: string; name: string };
  mustSetUpFactor?: true;
}

export interface RefreshCookie {
  value: string;
  maxAgeSeconds: number;
}

export const refreshCookieName = 'talkboard_refresh';
export const refreshCookieOptions = (publicUrl: string) =>
  ({
    path: '/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
  }) as const;

export interface SignedInWithCookie {
  signedIn: SignedIn;
  /** Null: the browser keeps the one it has. */
  cookie: RefreshCookie | null;
}

const dayMs = 86_400_000;
const idleMs = 30 * dayMs;
const longestMs = 90 * dayMs;
/** Two tabs that renew at the same time send the same cookie. */
const overlapMs = 30_000;
const maxListed = 200;
const userAgentLength = 512;

interface NewSession {
  id: string;
  now: number;
  expiresAt: number;
  family: string;
  cookie: RefreshCookie;
}

export function newSession(deps: Pick<SessionDeps, 'secrets'>, accountId: string, now: number): NewSession {
  const family = newFamily(accountId);
  const expiresAt = now + idleMs;
  return {
    id: newId(now),
    now,
    expiresAt,
    family,
    cookie: cookieOf(refreshToken(deps.secrets, family, 0), now, expiresAt),
  };
}

/**
 * Checking a password takes long: what was found before must still hold. A sign-in must not outlive a new password, a new
 * factor or a suspension that came meanwhile. Locks the user, so rows of factors are changed after it only.
 */
export async function startSession(
  tx: Tx,
  user: { accountId: string; id: string; passwordHash: string; hasFactor: boolean },
  { id, now, expiresAt, family, cookie }: NewSession,
  client: Client,
  method: SessionMethod = null,
): Promise<void> {
  await requireActive(tx, user.accountId);
  const current = await lockCredentials(tx, user.accountId, user.id);
  if (current?.passwordHash !== user.passwordHash || current.hasFactor !== user.hasFactor) {
    throw unauthorized('the password or the second factor has just changed: sign in again');
  }
  await insertSession(tx, user.accountId, {
    id,
    userId: user.id,
    refreshHash: sha256(cookie.value),
    familyHash: sha256(family),
    now,
    expiresAt,
    endsAt: now + longestMs,
    method,
    ...stored(client),
  });
}

/** Null if the cookie is unknown, expired or was used before: the user signs in again. */
export async function refresh(
  deps: SessionDeps,
  presented: string,
  client: Client,
): Promise<SignedInWithCookie | null> {
  const now = deps.clock.now();
  const family = familyOf(presented);
  const hash = sha256(presented);
  const outcome = await deps.db.transaction(async (tx) => {
    const session = await lockSessionOfCookie(tx, {
      hash,
      familyHash: family === null ? null : sha256(family),
    });
    if (!session || session.expiresAt <= now) return null;
    // The session stays, for when the account is resumed.
    if (session.user.isSuspended) throw accountSuspended();
    checkSignInAddress(deps, session.user, client.address);
    if (sameBytes(session.refreshHash, hash)) {
      return {
        session,
        cookie: await rotate(tx, deps, session, family ?? newFamily(session.user.accountId), client, now),
      };
    }
    const isPrevious = session.previousRefreshHash !== null && sameBytes(session.previousRefreshHash, hash);
    if (isPrevious && session.refreshedAt > now - overlapMs) {
      return { session, cookie: currentCookie(deps, session, family, now) };
    }
    await deleteSession(tx, session.user.accountId, session.id);
    return { session, cookie: 'reused' as const };
  });
  if (!outcome) return null;
  const { session, cookie } = outcome;
  if (cookie === 'reused') {
    deps.authenticator.forget();
    const { accountId, id: userId } = session.user;
    deps.logger.warn(
      { accountId, userId, address: client.address },
      'an old refresh cookie was used: its session has ended',
    );
    return null;
  }
  return { signedIn: await describeSignedIn(deps, session.user, session.id), cookie };
}

async function rotate(
  tx: Tx,
  deps: SessionDeps,
  session: LockedSession,
  family: string,
  client: Client,
  now: number,
): Promise<RefreshCookie> {
  const generation = session.generation + 1;
  const expiresAt = Math.min(now + idleMs, session.endsAt ?? session.createdAt + longestMs);
  const token = refreshToken(deps.secrets, family, generation);
  await rotateSession(tx, session.user.accountId, session.id, {
    refreshHash: sha256(token),
    familyHash: sha256(family),
    generation,
    now,
    expiresAt,
    ...stored(client),
  });
  return cookieOf(token, now, expiresAt);
}

/** The second tab gets the same cookie as the first, in case the first response was lost. */
function currentCookie(
  { secrets }: SessionDeps,
  session: LockedSession,
  family: string | null,
  now: number,
): RefreshCookie | null {
  const token = family === null ? '' : refreshToken(secrets, family, session.generation);
  return sameBytes(sha256(token), session.refreshHash) ? cookieOf(token, now, session.expiresAt) : null;
}

export async function logout(
  deps: SessionDeps,
  caller: { refreshToken: string | undefined; actor: UserActor | null },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (caller.refreshToken) await deleteSessionByRefresh(tx, sha256(caller.refreshToken));
    if (caller.actor) await deleteSession(tx, caller.actor.accountId, caller.actor.sessionId);
  });
  deps.authenticator.forget();
}

export async function listSessions({ db, clock }: SessionDeps, actor: UserActor): Promise<LoginSession[]> {
  const { accountId, id: userId, sessionId: current } = actor;
  const rows = await selectSessions(db, accountId, { userId, current, now: clock.now(), limit: maxListed });
  return rows.map((row) => ({ ...row, current: row.id === current }));
}

export async function endSession(tx: Tx, actor: UserActor, id: string): Promise<void> {
  const found = isId(id) && (await deleteSessionOfUser(tx, actor.accountId, actor.id, id));
  if (!found) throw notFound('session');
}

export function endOtherSessions(tx: Tx, actor: UserActor): Promise<void> {
  return deleteSessions(tx, actor.accountId, actor.id, actor.sessionId);
}

export async function describeSignedIn(
  deps: SessionDeps,
  user: SessionOwner,
  sessionId: string,
): Promise<SignedIn> {
  const { id, email, name, role, roleId, isInstanceAdmin } = user;
  const { language, theme, undoSendSeconds, seenRelease, availability } = user;
  const { accountId, accountName } = user;
  const jwt = await deps.authenticator.issueJwt(user, sessionId);
  return {
    ...jwt,
    user: {
      ...{ id, email, name, role, roleId, isInstanceAdmin },
      permissions: [...permissionsOf(user)],
      ...{ language, theme, undoSendSeconds, seenRelease, availability },
    },
    account: { id: accountId, name: accountName },
    ...(user.mustSetUpFactor && { mustSetUpFactor: true as const }),
  };
}

/**
 * `<family>.<proof>`. The proof is derived from the generation, so that the current cookie can be sent again although
 * only its hash is stored. Cookies of releases before v1.7.232 have no family.
 */
function refreshToken(secrets: Secrets, family: string, generation: number): string {
  const proof = hmac(secrets.deriveKey('refresh-cookie'), `${family}.${generation}`);
  return `${family}.${proof.toString('base64url')}`;
}

function newFamily(accountId: string): string {
  return tagOf(accountId) + randomBytes(24).toString('base64url');
}

function familyOf(token: string): string | null {
  const dot = token.indexOf('.');
  return dot < 0 ? null : token.slice(0, dot);
}

function cookieOf(value: string, now: number, expiresAt: number): RefreshCookie {
  return { value, maxAgeSeconds: Math.floor((expiresAt - now) / 1000) };
}

function stored({ address, userAgent }: Client): Client {
  return { address, userAgent: userAgent?.slice(0, userAgentLength) ?? null };
}
