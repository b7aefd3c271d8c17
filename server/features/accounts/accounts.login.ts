/** Signing in, renewing, signing out, changing one's password. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { badRequest, rateLimited, unauthorized } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { OneAtATime } from '../../platform/one-at-a-time.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { UserActor } from './accounts.actor.ts';
import { audit, auditLogin } from './accounts.audit.ts';
import type { Authenticator } from './accounts.authenticate.ts';
import {
  closeLoginAttempt,
  deleteExpiredLogins,
  deleteLoginAttempt,
  deleteSession,
  deleteSessionByRefresh,
  deleteSessions,
  findLogin,
  insertLoginAttempt,
  insertSession,
  type LoginAttempt,
  type LoginUser,
  renewSession,
} from './accounts.login.sql.ts';
import { hashPassword, passwordFits } from './accounts.passwords.ts';
import { updateUser } from './accounts.users.sql.ts';

export interface LoginDeps {
  db: Db;
  clock: Clock;
  authenticator: Authenticator;
}

export interface SignedIn {
  token: string;
  expiresAt: number;
  user: Pick<LoginUser, 'id' | 'email' | 'name' | 'role' | 'isInstanceAdmin' | 'language'>;
  account: { id: string; name: string };
}

export const refreshDays = 30;
const refreshMs = refreshDays * 86_400_000;
/** Two tabs that renew at once both hold the old cookie for a moment. */
const oldCookieMs = 30_000;
const failureWindow = { max: 5, ms: 5 * 60_000, openMs: 5_000 };
const lookAgainMs = 50;

/** One after the other for each address and user: a flood for one of them costs one connection and one processor. */
export function login(
  deps: LoginDeps & { oneAtATime: OneAtATime },
  input: { email: string; password: string; address: string },
): Promise<{ signedIn: SignedIn; refreshToken: string }> {
  const email = input.email.trim().toLowerCase();
  const who = sha256(`${input.address}\n${email}`);
  return deps.oneAtATime(who.toString('hex'), () => tryLogin(deps, who, { ...input, email }));
}

async function tryLogin(
  deps: LoginDeps,
  who: Buffer,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<{ signedIn: SignedIn; refreshToken: string }> {
  const { db, clock } = deps;
  const attempt = await bookAttempt(deps, who);
  const user = await findLogin(db, email);
  if (!(await passwordFits(user?.passwordHash ?? null, password)) || !user) {
    await db.transaction(async (tx) => {
      await closeLoginAttempt(tx, attempt);
      if (user) await auditLogin(tx, 'login_failed', user, address, clock.now());
    });
    throw unauthorized('wrong e-mail address or password');
  }
  const refreshToken = newRefreshToken();
  const sessionId = newId(clock.now());
  await db.transaction(async (tx) => {
    await deleteLoginAttempt(tx, attempt);
    await insertSession(tx, user.accountId, {
      id: sessionId,
      userId: user.id,
      refreshHash: sha256(refreshToken),
      now: clock.now(),
      expiresAt: clock.now() + refreshMs,
    });
    await auditLogin(tx, 'login', user, address, clock.now());
  });
  return { signedIn: await signedIn(deps, user, sessionId), refreshToken };
}

/**
 * The attempt is booked before the password is looked at: parallel guesses cannot outrun the count. As successful
 * logins do not count, a window filled by attempts of other processes that are still being looked at is waited for.
 */
async function bookAttempt({ db, clock }: LoginDeps, who: Buffer): Promise<LoginAttempt> {
  const deadline = performance.now() + failureWindow.openMs;
  for (;;) {
    const attempt = { who, id: newId(), now: clock.now() };
    const outcome = await db.transaction((tx) => insertLoginAttempt(tx, attempt, failureWindow));
    if (outcome.booked) return attempt;
    if (!outcome.mayOpen || performance.now() > deadline) {
      throw rateLimited(429, Math.max(1, Math.ceil(outcome.retryAfterMs / 1000)));
    }
    await setTimeout(lookAgainMs);
  }
}

/** Null when the cookie is unknown or used up: the person signs in again. */
export async function refresh(
  deps: LoginDeps,
  refreshToken: string,
): Promise<{ signedIn: SignedIn; refreshToken: string | null } | null> {
  const { db, clock } = deps;
  const next = newRefreshToken();
  const renewed = await db.transaction((tx) =>
    renewSession(tx, sha256(refreshToken), sha256(next), {
      now: clock.now(),
      expiresAt: clock.now() + refreshMs,
      oldCookieSince: clock.now() - oldCookieMs,
    }),
  );
  if (!renewed) return null;
  return {
    signedIn: await signedIn(deps, renewed.user, renewed.sessionId),
    // The other tab has set the newer cookie already.
    refreshToken: renewed.rotated ? next : null,
  };
}

export async function logout(
  deps: LoginDeps,
  caller: { refreshToken: string | undefined; actor: UserActor | null },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (caller.refreshToken) await deleteSessionByRefresh(tx, sha256(caller.refreshToken));
    if (caller.actor) await deleteSession(tx, caller.actor.accountId, caller.actor.sessionId);
  });
  deps.authenticator.forget();
}

export async function changePassword(
  tx: Tx,
  now: number,
  actor: UserActor,
  input: { currentPassword: string; newPassword: string },
): Promise<void> {
  const user = await findLogin(tx, actor.email);
  if (!user || !(await passwordFits(user.passwordHash, input.currentPassword))) {
    throw badRequest('currentPassword is wrong');
  }
  const passwordHash = await hashPassword(input.newPassword);
  await updateUser(tx, actor.accountId, actor.id, { passwordHash, now });
  await deleteSessions(tx, actor.accountId, actor.id, actor.sessionId);
  await audit(tx, actor, now, { action: 'user.password_changed', target: { type: 'user', id: actor.id } });
}

/** Logins that have ended and failures that no longer count. */
export async function pruneLogins(db: Db, now: number): Promise<void> {
  await db.transaction((tx) => deleteExpiredLogins(tx, now, now - failureWindow.ms));
}

async function signedIn(deps: LoginDeps, user: LoginUser, sessionId: string): Promise<SignedIn> {
  const { id, email, name, role, isInstanceAdmin, language, accountId, accountName } = user;
  const jwt = await deps.authenticator.issueJwt(user, sessionId);
  return {
    ...jwt,
    user: { id, email, name, role, isInstanceAdmin, language },
    account: { id: accountId, name: accountName },
  };
}

function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}
