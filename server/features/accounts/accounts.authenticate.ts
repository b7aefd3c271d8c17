/**
 * From the Authorization header to an Actor. What was found is remembered for half a second, so that a busy
 * client costs two look-ups a second, and a revoked token or an ended login still stops within one.
 */
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db.ts';
import { unauthorized } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Secrets, sha256 } from '../../platform/secrets.ts';
import type { Actor, TokenActor, UserActor } from './accounts.actor.ts';
import { findTokenByHash, findUserBySession, touchToken } from './accounts.authenticate.sql.ts';

export interface Authenticator {
  authenticate(authorization: string | undefined): Promise<Actor>;
  issueJwt(
    user: { accountId: string; id: string },
    sessionId: string,
  ): Promise<{ token: string; expiresAt: number }>;
  /** Drops what this process remembers, so that a change made here holds here at once. */
  forget(): void;
}

const rememberMs = 500;
const rememberAtMost = 10_000;
const jwtMinutes = 15;
const touchEveryMs = 60_000;

interface Remembered {
  actor: Promise<Actor>;
  until: number;
}

export function createAuthenticator(db: Db, secrets: Secrets, clock: Clock): Authenticator {
  const jwtKey = secrets.derive('jwt');
  const remembered = new Map<string, Remembered>();
  const touched = new Map<string, number>();

  const remember = (key: string, find: () => Promise<Actor>): Promise<Actor> => {
    const now = performance.now();
    const known = remembered.get(key);
    if (known && known.until > now) return known.actor;
    if (remembered.size >= rememberAtMost) remembered.clear();
    const actor = find();
    remembered.set(key, { actor, until: now + rememberMs });
    actor.catch(() => remembered.delete(key));
    return actor;
  };

  const findByToken = async (token: string): Promise<TokenActor> => {
    const hash = sha256(token);
    const found = await findTokenByHash(db, hash);
    if (!found || (found.expiresAt !== null && found.expiresAt <= clock.now())) throw unauthorized();
    const lastTouch = touched.get(found.id) ?? 0;
    if (performance.now() - lastTouch > touchEveryMs || lastTouch === 0) {
      touched.set(found.id, performance.now());
      // "Last used" may be lost in a crash; it is no reason to make the request wait.
      touchToken(db, found.accountId, found.id, clock.now()).catch(() => touched.delete(found.id));
    }
    const { accountId, id, name, scopes } = found;
    return { kind: 'token', accountId, id, name, scopes };
  };

  const findBySession = async (accountId: string, sessionId: string, userId: string): Promise<UserActor> => {
    const found = await findUserBySession(db, accountId, sessionId, clock.now());
    if (!found || found.id !== userId) throw unauthorized();
    return { kind: 'user', ...found, sessionId };
  };

  const byJwt = async (token: string): Promise<Actor> => {
    const { payload } = await jwtVerify(token, jwtKey, {
      algorithms: ['HS256'],
      currentDate: new Date(clock.now()),
      requiredClaims: ['sub', 'exp', 'account', 'session'],
    }).catch(() => {
      throw unauthorized();
    });
    const { sub, account, session } = payload as Record<string, string>;
    if (!isId(sub ?? '') || !isId(account ?? '') || !isId(session ?? '')) throw unauthorized();
    return remember(`session:${account}:${session}:${sub}`, () => findBySession(account!, session!, sub!));
  };

  return {
    async authenticate(authorization) {
      const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (!token) throw unauthorized();
      return token.startsWith('tb_') ? remember(token, () => findByToken(token)) : byJwt(token);
    },
    async issueJwt(user, sessionId) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const expires = issuedAt + jwtMinutes * 60;
      const token = await new SignJWT({ account: user.accountId, session: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(user.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires)
        .sign(jwtKey);
      return { token, expiresAt: expires * 1000 };
    },
    forget() {
      remembered.clear();
    },
  };
}
