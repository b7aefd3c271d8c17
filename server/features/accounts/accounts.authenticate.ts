/**
 * Resolves the Authorization header to an Actor. Results are cached for half a second, so a busy client costs two
 * lookups a second, and a revoked token or an ended login stops working within one.
 */
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { isManagingScope } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader } from '../../platform/db/db.ts';
import type { AddressRange } from '../../platform/http/client-address.ts';
import { AppError, accountSuspended, unauthorized } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Secrets, sha256 } from '../../platform/secrets/secrets.ts';
import { type Actor, systemActor, type TokenActor, type UserActor } from './accounts.actor.ts';
import {
  findTokenByHash,
  findTokenById,
  findUserActor,
  findUserBySession,
  type StoredToken,
  touchToken,
} from './accounts.authenticate.sql.ts';
import { addressLists, listsOfUser } from './addresses/accounts.addresses.ts';
import { manages } from './roles/accounts.permissions.ts';

export interface Authenticator {
  authenticate(authorization: string | undefined): Promise<Actor>;
  /** The same without waiting, for a cached token; null otherwise. */
  recall(authorization: string | undefined): Actor | null;
  /**
   * For a long request: who makes it now, or a 401 once the token is revoked or the login ended. A JWT that merely
   * expired meanwhile is accepted.
   */
  confirm(authorization: string | undefined, actor: Actor): Promise<Actor>;
  issueJwt(
    user: { accountId: string; id: string },
    sessionId: string,
  ): Promise<{ token: string; expiresAt: number }>;
  /** Drops this process's cache, so that a change made here applies here at once. */
  forget(): void;
}

const rememberMs = 500;
/** Looked up again from then on, while requests use the cached value. */
const renewAfterMs = 250;
const rememberAtMost = 10_000;
const jwtMinutes = 15;
const touchEveryMs = 60_000;

interface Remembered {
  actor: Promise<Actor>;
  /** Once it is known. */
  found: Actor | null;
  renewing: boolean;
  until: number;
}

/** `instanceAddresses`: where administrators of the instance may call from; empty: everywhere. */
export function createAuthenticator(
  db: Db,
  secrets: Secrets,
  clock: Clock,
  instanceAddresses: readonly AddressRange[] = [],
): Authenticator {
  const jwtKeys = secrets.deriveAll('jwt');
  const remembered = new Map<string, Remembered>();
  /** When the last use of a token was written, by its id. One that is forgotten is written once more. */
  const touched = new LRUCache<string, number>({ max: rememberAtMost });
  /** By the whole token: a signature that was right stays right. Verifying it costs a fifth of a small request. */
  const verified = new LRUCache<string, JWTPayload>({ max: rememberAtMost });

  const remember = (key: string, find: () => Promise<Actor>): Promise<Actor> => {
    const now = performance.now();
    const known = remembered.get(key);
    if (known && known.until > now) return known.actor;
    if (remembered.size >= rememberAtMost) remembered.clear();
    const actor = find();
    const entry: Remembered = { actor, found: null, renewing: false, until: now + rememberMs };
    remembered.set(key, entry);
    actor.then(
      (found) => {
        entry.found = found;
      },
      () => remembered.delete(key),
    );
    return actor;
  };

  const renew = (key: string, known: Remembered, find: () => Promise<Actor>): void => {
    known.renewing = true;
    const until = performance.now() + rememberMs;
    const actor = find();
    actor.then(
      (found) => {
        // Only replaces the entry it renews: that may have been dropped since, for a reason.
        if (remembered.get(key) === known) remembered.set(key, { actor, found, renewing: false, until });
      },
      (error) => {
        if (error instanceof AppError && error.status < 500 && remembered.get(key) === known)
          remembered.delete(key);
      },
    );
  };

  const findByToken = async (token: string): Promise<TokenActor> => {
    const hash = sha256(token);
    const found = await findTokenByHash(db, hash);
    const actor = found && tokenActor(found, clock.now());
    if (!actor) throw unauthorized();
    if (found.isSuspended) throw accountSuspended();
    const lastTouch = touched.get(found.id) ?? 0;
    if (performance.now() - lastTouch > touchEveryMs || lastTouch === 0) {
      touched.set(found.id, performance.now());
      // "Last used" may be lost in a crash; the request does not wait for it.
      touchToken(db, found.accountId, found.id, clock.now()).catch(() => touched.delete(found.id));
    }
    return actor;
  };

  const findBySession = async (accountId: string, sessionId: string, userId: string): Promise<UserActor> => {
    const found = await findUserBySession(db, accountId, sessionId, clock.now());
    if (!found || found.user.id !== userId) throw unauthorized();
    const { user, rules } = found;
    if (rules.isSuspended) throw accountSuspended();
    const allowedFrom = listsOfUser({ ...user, ...rules }, instanceAddresses);
    return {
      kind: 'user',
      ...user,
      sessionId,
      ...(allowedFrom && { allowedFrom }),
      ...(rules.mustSetUpFactor && { mustSetUpFactor: true }),
    };
  };

  const byJwt = async (token: string): Promise<Actor> => {
    const now = clock.now();
    const payload = verified.get(token) ?? (await verifyJwt(token, jwtKeys, now));
    if (!payload || payload.exp! * 1000 <= now) throw unauthorized();
    verified.set(token, payload);
    const { sub, account, session } = payload as Record<string, string>;
    if (!isId(sub ?? '') || !isId(account ?? '') || !isId(session ?? '')) throw unauthorized();
    return remember(`session:${account}:${session}:${sub}`, () => findBySession(account!, session!, sub!));
  };

  const authenticate = async (authorization: string | undefined): Promise<Actor> => {
    const token = tokenIn(authorization);
    if (!token) throw unauthorized();
    return token.startsWith('tb_') ? remember(token, () => findByToken(token)) : byJwt(token);
  };

  return {
    authenticate,
    async confirm(authorization, actor) {
      if (actor.kind !== 'user') return authenticate(authorization);
      const { accountId, sessionId, id } = actor;
      return remember(`session:${accountId}:${sessionId}:${id}`, () =>
        findBySession(accountId, sessionId, id),
      );
    },
    recall(authorization) {
      const token = tokenIn(authorization);
      // API tokens only: a JWT's age is checked at every request, and the keys of sessions are not secret.
      const known = token?.startsWith('tb_') ? remembered.get(token) : undefined;
      const left = known ? known.until - performance.now() : 0;
      if (!token || !known?.found || left <= 0) return null;
      if (left < rememberMs - renewAfterMs && !known.renewing) renew(token, known, () => findByToken(token));
      return known.found;
    },
    async issueJwt(user, sessionId) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const expires = issuedAt + jwtMinutes * 60;
      const token = await new SignJWT({ account: user.accountId, session: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(user.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires)
        .sign(jwtKeys[0]!);
      return { token, expiresAt: expires * 1000 };
    },
    forget() {
      remembered.clear();
    },
  };
}

/** Null: signed by none of the keys, or expired. */
async function verifyJwt(token: string, keys: readonly Buffer[], now: number): Promise<JWTPayload | null> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        currentDate: new Date(now),
        requiredClaims: ['sub', 'exp', 'account', 'session'],
      });
      return payload;
    } catch {}
  }
  return null;
}

/** What to store about the caller of work that continues after the request. */
export type ActorReference = Pick<Actor, 'kind' | 'id'>;

/** The current actor: with the current role and scopes, or null once the user or the token is gone. */
export async function findActor(
  db: Reader,
  accountId: string,
  { kind, id }: ActorReference,
  now: number,
): Promise<Actor | null> {
  if (kind === 'system') return systemActor(accountId);
  // A rule requests nothing that outlives its run.
  if (kind === 'rule') return null;
  if (kind === 'token') {
    const token = await findTokenById(db, accountId, id);
    return token && tokenActor(token, now);
  }
  const user = await findUserActor(db, accountId, id);
  return user && { kind, accountId, ...user, sessionId: '' };
}

/** Null once the token has expired. A token never has more rights than its user: it manages only what they do. */
function tokenActor(token: StoredToken, now: number): TokenActor | null {
  const { accountId, id, name, expiresAt, user } = token;
  if (expiresAt !== null && expiresAt <= now) return null;
  const scopes = manages(user) ? token.scopes : token.scopes.filter((scope) => !isManagingScope(scope));
  const allowedFrom = addressLists(token.allowedAddresses);
  return {
    kind: 'token',
    accountId,
    id,
    name,
    scopes,
    expiresAt,
    user,
    ...(allowedFrom && { allowedFrom }),
  };
}

function tokenIn(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
