/** Signing in and changing one's password. */

import { setTimeout } from 'node:timers/promises';
import type { OneAtATime } from '../../../platform/concurrency/keyed-mutex.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { addressToCount } from '../../../platform/http/client-address.ts';
import {
  accountSuspended,
  badRequest,
  forbidden,
  rateLimited,
  unauthorized,
} from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { OidcSettings } from '../../../platform/oidc/oidc-settings.ts';
import { sha256 } from '../../../platform/secrets/secrets.ts';
import type { UserActor } from '../accounts.actor.ts';
import { audit, auditLogin } from '../accounts.audit.ts';
import { replaceForeignPassword, updatePassword, updateUser } from '../accounts.users.sql.ts';
import { checkSignInAddress } from '../addresses/accounts.addresses.ts';
import { deleteSpentTickets } from '../factors/accounts.factors.sql.ts';
import { deleteLinksOf } from './accounts.links.sql.ts';
import {
  closeAttempt,
  deleteAttempt,
  deleteAttemptsBefore,
  findLogin,
  insertAttempt,
  type LoginAttempt,
  type LoginUser,
  lockAttempts,
  type RecentAttempt,
  selectAttempts,
} from './accounts.login.sql.ts';
import { checkPassword, hashPassword, passwordFits } from './accounts.passwords.ts';
import { deleteExpiredSessions, deleteSessions } from './accounts.sessions.sql.ts';
import {
  type Client,
  describeSignedIn,
  newSession,
  type SessionDeps,
  type SignedInWithCookie,
  startSession,
} from './accounts.sessions.ts';

export interface LoginDeps extends SessionDeps {
  /** The home cell's: failed logins are counted there for the whole instance. */
  instanceDb: Db;
  oneAtATime: OneAtATime;
}

export interface LoginInput extends Client {
  email: string;
  password: string;
}

/**
 * Beyond these the response is 503 BUSY. As many may wait per address as may fail there (see maxFailures); 300 in all
 * are about ten seconds of hashing on one core.
 */
export const loginBounds = { maxWaiting: 30, maxWaitMs: 10_000, maxInAll: 300 };

const windowMs = 5 * 60_000;
const maxFailures = { perUser: 5, perAddress: 30 };
/** How long an attempt whose password is being checked may still succeed. */
const openMs = 5_000;
const lookAgainMs = 50;

/**
 * The logins of one address run one after the other, so that a flood costs one place in the hashing queue and one
 * connection.
 */
export function login(
  deps: LoginDeps,
  input: LoginInput,
): Promise<SignedInWithCookie | { needsFactor: LoginUser }> {
  return deps.oneAtATime(addressToCount(input.address), async () => {
    const email = input.email.trim().toLowerCase();
    const attempt = await bookAttempt(deps, input.address, email);
    const user = await checkCredentials(deps, attempt, email, input);
    if (!user) {
      deps.logger.info({ address: input.address }, 'a login failed');
      throw unauthorized('wrong e-mail address or password');
    }
    if (user.isSuspended) {
      await deps.instanceDb.transaction((tx) => deleteAttempt(tx, attempt));
      throw accountSuspended();
    }
    if (user.hasFactor) {
      await deps.instanceDb.transaction((tx) => deleteAttempt(tx, attempt));
      return { needsFactor: user };
    }
    return succeed(deps, attempt, user, input);
  });
}

async function checkCredentials(
  deps: LoginDeps,
  attempt: LoginAttempt,
  email: string,
  { password, address }: LoginInput,
): Promise<LoginUser | null> {
  const { user, fits } = await checkPasswordOf(deps, attempt, email, password);
  if (user && fits) return user;
  await inBoth(
    deps,
    (tx) => closeAttempt(tx, attempt),
    async (tx) => {
      if (user) await auditLogin(tx, 'login_failed', user, address, deps.clock.now());
    },
  );
  return null;
}

/** One transaction, unless the account is in another database than the counts of the instance. */
async function inBoth(
  { db, instanceDb }: LoginDeps,
  count: (tx: Tx) => Promise<void>,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  if (db !== instanceDb) {
    await instanceDb.transaction(count);
    return db.transaction(work);
  }
  await db.transaction(async (tx) => {
    await count(tx);
    await work(tx);
  });
}

async function checkPasswordOf(
  { db, instanceDb }: LoginDeps,
  attempt: LoginAttempt,
  email: string,
  password: string,
): Promise<{ user: LoginUser | null; fits: boolean }> {
  try {
    const user = await findLogin(db, email);
    return { user, fits: await passwordFits(user?.passwordHash ?? null, password) };
  } catch (error) {
    // The password was not checked: a busy or broken service must not count as a failed login.
    await instanceDb.transaction((tx) => deleteAttempt(tx, attempt)).catch(() => {});
    throw error;
  }
}

async function succeed(
  deps: LoginDeps,
  attempt: LoginAttempt,
  user: LoginUser,
  client: Client,
): Promise<SignedInWithCookie> {
  try {
    checkSignInAddress(deps, user, client.address);
  } catch (error) {
    await deps.instanceDb.transaction((tx) => deleteAttempt(tx, attempt));
    throw error;
  }
  const session = newSession(deps, user.accountId, deps.clock.now());
  await inBoth(
    deps,
    (tx) => deleteAttempt(tx, attempt),
    async (tx) => {
      await startSession(tx, user, session, client);
      await auditLogin(tx, 'login', user, client.address, deps.clock.now());
    },
  );
  return { signedIn: await describeSignedIn(deps, user, session.id), cookie: session.cookie };
}

/**
 * The attempt is recorded before the password is checked: parallel guesses cannot outrun the count. As successful
 * logins do not count, a window that is full only because other processes are still checking is waited for.
 */
export async function bookAttempt(
  { instanceDb, clock }: LoginDeps,
  address: string,
  email: string,
): Promise<LoginAttempt> {
  const place = addressToCount(address);
  const deadline = performance.now() + openMs;
  for (;;) {
    const now = clock.now();
    const attempt = { id: newId(), who: sha256(`${place}\n${email}`), address: sha256(place), now };
    const refusal = await instanceDb.transaction(async (tx) => {
      await lockAttempts(tx, attempt.address);
      const refused = refusalOf(await selectAttempts(tx, attempt, now - windowMs), now);
      if (!refused) await insertAttempt(tx, attempt);
      return refused;
    });
    if (!refusal) return attempt;
    if (!refusal.mayPass || performance.now() > deadline) {
      throw rateLimited(429, Math.max(1, Math.ceil(refusal.retryAfterMs / 1000)));
    }
    await setTimeout(lookAgainMs);
  }
}

interface Refusal {
  retryAfterMs: number;
  /** An attempt that is still being checked may succeed and free a place. */
  mayPass: boolean;
}

/** Null if both windows allow one more attempt. */
function refusalOf(attempts: RecentAttempt[], now: number): Refusal | null {
  const refusals = [
    refusalOfWindow(
      attempts.filter((one) => one.isSameUser),
      maxFailures.perUser,
      now,
    ),
    refusalOfWindow(attempts, maxFailures.perAddress, now),
  ].filter((refusal) => refusal !== null);
  if (refusals.length === 0) return null;
  return {
    retryAfterMs: Math.max(...refusals.map((refusal) => refusal.retryAfterMs)),
    mayPass: refusals.every((refusal) => refusal.mayPass),
  };
}

function refusalOfWindow(newestFirst: RecentAttempt[], max: number, now: number): Refusal | null {
  const oldest = newestFirst[max - 1];
  if (!oldest) return null;
  return {
    retryAfterMs: oldest.failedAt + windowMs - now,
    mayPass: newestFirst.some((one) => one.isOpen && one.failedAt > now - openMs),
  };
}

export interface PasswordChange {
  currentHash: string;
  nextHash: string;
}

/**
 * Everything slow, before the transaction that changes the password. A wrong current password counts as a failed
 * login: a stolen JWT alone cannot be used to guess it.
 */
export async function preparePasswordChange(
  deps: LoginDeps,
  actor: UserActor,
  address: string,
  input: { currentPassword: string; newPassword: string },
): Promise<PasswordChange> {
  checkPassword(input.newPassword, actor.email, 'newPassword');
  const currentHash = await checkOwnPassword(deps, actor, address, input.currentPassword, 'currentPassword');
  return { currentHash, nextHash: await hashPassword(input.newPassword) };
}

/** The hash of the password, or a 400 that names `field`. */
export async function checkOwnPassword(
  deps: LoginDeps,
  actor: UserActor,
  address: string,
  password: string,
  field: string,
): Promise<string> {
  return deps.oneAtATime(addressToCount(address), async () => {
    const attempt = await bookAttempt(deps, address, actor.email);
    const { user, fits } = await checkPasswordOf(deps, attempt, actor.email, password);
    const isRight = user !== null && fits;
    await deps.instanceDb.transaction((tx) =>
      isRight ? deleteAttempt(tx, attempt) : closeAttempt(tx, attempt),
    );
    if (!isRight) throw wrongPassword(field);
    return user.passwordHash;
  });
}

export async function changePassword(
  tx: Tx,
  now: number,
  actor: UserActor,
  change: PasswordChange,
): Promise<void> {
  // Of two simultaneous changes one wins; for the other the current password is no longer current.
  if (!(await updatePassword(tx, actor.accountId, actor.id, { ...change, now })))
    throw wrongPassword('currentPassword');
  await deleteSessions(tx, actor.accountId, actor.id, actor.sessionId);
  await audit(tx, actor, now, { action: 'user.password_changed', target: { type: 'user', id: actor.id } });
}

/** After a reset: every session of the user ends. */
export async function resetPassword(
  tx: Tx,
  now: number,
  user: { accountId: string; id: string },
  passwordHash: string,
): Promise<void> {
  await updateUser(tx, user.accountId, user.id, { passwordHash, isOwnPassword: true, next: null, now });
  await deleteSessions(tx, user.accountId, user.id, null);
}

/**
 * The person has proved their identity to a provider. Passwords, sessions and links that others may know end.
 */
export async function endForeignPassword(
  tx: Tx,
  now: number,
  user: { accountId: string; id: string },
  passwordHash: string,
): Promise<boolean> {
  const { accountId, id } = user;
  if (!(await replaceForeignPassword(tx, accountId, id, { passwordHash, now }))) return false;
  await deleteSessions(tx, accountId, id, null);
  await deleteLinksOf(tx, accountId, id);
  return true;
}

const wrongPassword = (field: string) => badRequest(`${field} is wrong`);

/** Ended sessions and failures that no longer count. */
export async function pruneLogins(db: Db, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteExpiredSessions(tx, now);
    await deleteAttemptsBefore(tx, now - windowMs);
    await deleteSpentTickets(tx, now);
  });
}

/** Passwords and passkeys of the service itself are refused where the provider is the only way. */
export function requireLocalSignIn(
  { oidc }: { oidc: OidcSettings | null },
  what: 'passwords' | 'passkeys',
): void {
  if (oidc?.isOnlyWay) throw forbidden(`${what} are disabled: sign in with ${oidc.name}`);
}
