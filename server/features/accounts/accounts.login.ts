/** Signing in, renewing, signing out, changing one's password. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { badRequest, rateLimited, unauthorized } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { UserActor } from './accounts.actor.ts';
import { audit } from './accounts.audit.ts';
import type { Authenticator } from './accounts.authenticate.ts';
import {
  deleteExpiredLogins,
  deleteLoginAttempt,
  deleteSession,
  deleteSessionByRefresh,
  deleteSessions,
  findLogin,
  insertLoginAttempt,
  insertSession,
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
  user: { id: string; email: string; name: string; role: LoginUser['role'] };
  account: { id: string; name: string };
}

export const refreshDays = 30;
const refreshMs = refreshDays * 86_400_000;
/** Two tabs that renew at once both hold the old cookie for a moment. */
const oldCookieMs = 30_000;
const maxFailures = 5;
const failureWindowMs = 5 * 60_000;

export async function login(
  deps: LoginDeps,
  input: { email: string; password: string; address: string },
): Promise<{ signedIn: SignedIn; refreshToken: string }> {
  const { db, clock } = deps;
  const email = input.email.trim().toLowerCase();
  const who = sha256(`${input.address}\n${email}`);
  // The attempt is booked before the password is looked at: parallel guesses cannot outrun the count.
  const booked = await db.transaction((tx) =>
    insertLoginAttempt(tx, who, clock.now(), failureWindowMs, maxFailures),
  );
  if (booked.full) throw rateLimited(429, Math.max(1, Math.ceil(booked.retryAfterMs / 1000)));
  const user = await findLogin(db, email);
  if (!(await passwordFits(user?.passwordHash ?? null, input.password)) || !user) {
    throw unauthorized('wrong e-mail address or password');
  }
  const refreshToken = newRefreshToken();
  const sessionId = newId(clock.now());
  await db.transaction(async (tx) => {
    await deleteLoginAttempt(tx, who, booked.at);
    await insertSession(tx, user.accountId, {
      id: sessionId,
      userId: user.id,
      refreshHash: sha256(refreshToken),
      now: clock.now(),
      expiresAt: clock.now() + refreshMs,
    });
  });
  return { signedIn: await signedIn(deps, user, sessionId), refreshToken };
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
  await db.transaction((tx) => deleteExpiredLogins(tx, now, now - failureWindowMs));
}

async function signedIn(deps: LoginDeps, user: LoginUser, sessionId: string): Promise<SignedIn> {
  const { id, email, name, role, accountId, accountName } = user;
  const jwt = await deps.authenticator.issueJwt(user, sessionId);
  return { ...jwt, user: { id, email, name, role }, account: { id: accountId, name: accountName } };
}

function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}
