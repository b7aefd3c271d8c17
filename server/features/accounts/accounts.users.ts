/** Users of an account and their roles. */
import type { User } from '../../../contract/accounts.ts';
import { limits, type Role } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { isUniqueViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, forbidden, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Actor } from './accounts.actor.ts';
import { countAudited } from './accounts.audit.sql.ts';
import { audit, auditAll, differences } from './accounts.audit.ts';
import { lockAccountConfig } from './accounts.config-lock.ts';
import { deleteTokensOf } from './accounts.tokens.sql.ts';
import {
  countInstanceAdmins,
  deleteUser,
  findUser,
  hasEmail,
  insertUser,
  isInstanceAdmin,
  lockAdministrators,
  selectUnknownUserIds,
  selectUsers,
  selectUsersByIdOrEmail,
  updateUser,
} from './accounts.users.sql.ts';
import { deleteLinksOf } from './login/accounts.links.sql.ts';
import { checkPassword, hashPassword } from './login/accounts.passwords.ts';
import { deleteSessions } from './login/accounts.sessions.sql.ts';
import { manages, may, type RoleChoice } from './roles/accounts.permissions.ts';
import { lockInstanceAdmins } from './roles/accounts.roles.sql.ts';
import { chooseRole, lockToManage, releaseOwnersJobKind, requireToCover } from './roles/accounts.roles.ts';

/** What users need to know about their conversations, which are below them in the order of features. */
export interface SessionsOfUser {
  /** Takes the user's conversations away, with an entry in the history of each. */
  release(tx: Tx, actor: Actor, now: number, userId: string): Promise<void>;
}

/** What users have made for everyone of the account, in features below them. */
export interface SharedWork {
  handOver(tx: Tx, accountId: string, owners: { from: string; to: string }): Promise<void>;
}

export interface NewUserInput {
  email: string;
  name: string;
  role: Role;
  roleId?: string | null;
  passwordHash: string;
  /** The person has chosen it. */
  isOwnPassword?: boolean;
  isInstanceAdmin?: boolean;
  /** `Tx.claim` was answered before the transaction. */
  isEmailClaimed?: boolean;
}

export async function createUser(tx: Tx, actor: Actor, now: number, input: NewUserInput): Promise<User> {
  const email = checkEmail(input.email, 'email');
  const name = input.name.trim();
  if (!name) throw badRequest('name is required');
  const { passwordHash, isOwnPassword = false, isInstanceAdmin = false } = input;
  const { role, roleId } = await chooseRole(
    tx,
    actor.kind === 'system' ? actor : await lockToManage(tx, actor),
    { role: input.role, roleId: input.roleId ?? null },
    'create',
  );
  if (!input.isEmailClaimed && !(await tx.claim(emailClaim, email, actor.accountId))) throw emailInUse();
  const user = await insertUser(tx, actor.accountId, {
    id: newId(now),
    email,
    name,
    role,
    roleId,
    passwordHash,
    isOwnPassword,
    isInstanceAdmin,
    now,
  }).catch((error) => {
    if (isUniqueViolation(error, 'users_email')) throw emailInUse();
    throw error;
  });
  await audit(tx, actor, now, {
    action: 'user.created',
    target: { type: 'user', id: user.id },
    changes: differences({}, { email, name, role, ...(roleId && { roleId }) }),
  });
  return user;
}

/** For `Tx.claim`. */
export const emailClaim = 'email';

const hour = 3_600_000;
const refusalsPerHour = 5;

/**
 * By an administrator, who must not learn which addresses other accounts have. Null: the address cannot be used. After a
 * few of these in an hour that is the answer for every address. They are counted in the audit log, so the transaction
 * commits; callers wait for each other at the lock.
 */
export async function addUser(tx: Tx, actor: Actor, now: number, input: NewUserInput): Promise<User | null> {
  const { accountId } = actor;
  const email = checkEmail(input.email, 'email');
  await lockToManage(tx, actor);
  if ((await findUserIds(tx, accountId, [email])).size > 0) throw emailInUse();
  if ((await countAudited(tx, accountId, 'user.refused', now - hour)) >= refusalsPerHour) return null;
  if (!(await hasEmail(tx, email)) && (await tx.claim(emailClaim, email, accountId))) {
    return createUser(tx, actor, now, { ...input, isEmailClaimed: true });
  }
  await audit(tx, actor, now, {
    action: 'user.refused',
    target: { type: 'account', id: accountId },
    changes: { email },
  });
  return null;
}

/** The same for every reason. An invitation says nothing about other accounts. */
export const emailRefused = () =>
  conflict('this email cannot be used for a new user: send an invitation instead');
export const emailInUse = () => conflict('email is already in use');

/** Who has no second factor is easier to attack: only those who manage users see it. */
export async function listUsers(
  db: Reader,
  actor: Actor,
  tokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<User>> {
  const size = pageSize(query.limit, limits.listPage);
  const { accountId } = actor;
  const scope = ['users', accountId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const after = cursor && { name: String(cursor[0]), id: String(cursor[1]) };
  const rows = await selectUsers(db, accountId, after, size + 1);
  const page = cutPage(rows, size, (last) => tokens.issue([last.name, last.id], scope));
  if (may(actor, 'users.manage')) return page;
  return { ...page, items: page.items.map(({ hasSecondFactor: _hidden, ...shown }) => shown) };
}

export interface UserChange {
  name?: string;
  role?: Role;
  /** Null: none, but the built-in one. */
  roleId?: string | null;
  passwordHash?: string;
  capacity?: number;
}

export async function changeUser(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: UserChange,
): Promise<User> {
  const isAboutRights =
    change.role !== undefined || change.roleId !== undefined || change.passwordHash !== undefined;
  const caller = isAboutRights ? await lockToManage(tx, actor) : actor;
  // After the lock: a role that another transaction has just given counts.
  const before = await requireUser(tx, actor.accountId, id);
  const rights = await requireToCover(tx, caller, id);
  const name = change.name?.trim();
  if (name === '') throw badRequest('name is required');
  const next = nextRole(before, change);
  if (next) await chooseRole(tx, caller, next, 'promote a user to');
  if (change.passwordHash !== undefined) checkTokenMayReset(actor, rights);
  if (before.role === 'admin' && next?.role === 'operator') {
    const admins = await lockAdministrators(tx, actor.accountId);
    if (admins.length <= 1) throw conflict('the last administrator cannot be demoted');
    if (admins.find((admin) => admin.id === id)?.isInstanceAdmin) {
      throw conflict('the instance administrator cannot be demoted');
    }
  }
  if (change.passwordHash && (await isInstanceAdmin(tx, actor.accountId, id)) && !actsForInstance(actor)) {
    throw forbidden("only the instance administrator may set the instance administrator's password");
  }
  const { passwordHash, capacity } = change;
  const after = await updateUser(tx, actor.accountId, id, {
    ...{ name, passwordHash, capacity, next, now },
    isOwnPassword: actor.kind === 'user' && actor.id === id,
  });
  if (!after) throw notFound('user');
  if (next) {
    await enqueue(tx, { accountId: actor.accountId, kind: releaseOwnersJobKind });
  }
  if (change.passwordHash) await deleteSessions(tx, actor.accountId, id, null);
  // A link that was made for a user with fewer rights must not sign in with more.
  else if (next) await deleteLinksOf(tx, actor.accountId, id);
  await audit(tx, actor, now, {
    action: 'user.updated',
    target: { type: 'user', id },
    changes: {
      ...differences(before, { name, ...next, capacity: change.capacity }),
      ...(change.passwordHash && { password: 'changed' }),
    },
  });
  return after;
}

/** For `changeUser`, before its transaction: hashing is slow. */
export async function hashPasswordFor(
  db: Reader,
  accountId: string,
  id: string,
  password: string,
): Promise<string> {
  const { email } = await requireUser(db, accountId, id);
  checkPassword(password, email, 'password');
  return hashPassword(password);
}

export async function removeUser(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  { sessionsOfUser: sessions, sharedWork }: { sessionsOfUser: SessionsOfUser; sharedWork: SharedWork },
): Promise<void> {
  const caller = await lockToManage(tx, actor);
  const user = await requireUser(tx, actor.accountId, id);
  await requireToCover(tx, caller, id);
  // Before the row of the account, as where accounts are deleted.
  if (await isInstanceAdmin(tx, actor.accountId, id)) await lockInstanceAdmins(tx);
  // Before the configuration is locked: everywhere else conversations are locked first.
  await sessions.release(tx, actor, now, id);
  // The user's memberships go with them, which is a change of boards. Changes of boards take the two locks in this order.
  await lockAccountConfig(tx, actor.accountId);
  const admins = await lockAdministrators(tx, actor.accountId);
  const admin = admins.find((one) => one.id === id);
  if (admin && admins.length <= 1) throw conflict('the last administrator cannot be deleted');
  if (admin?.isInstanceAdmin && (await countInstanceAdmins(tx)) <= 1) {
    throw conflict('the last instance administrator cannot be deleted');
  }
  const endedTokens = await deleteTokensOf(tx, actor.accountId, id);
  // The remover becomes the owner of what the team still uses, or else the first administrator.
  const owners = [actor.kind === 'user' ? actor.id : null, ...admins.map((one) => one.id)];
  const to = owners.find((one) => one !== null && one !== id);
  if (to) await sharedWork.handOver(tx, actor.accountId, { from: id, to });
  await deleteUser(tx, actor.accountId, id);
  await auditAll(tx, actor, now, [
    ...endedTokens.map((token) => ({
      action: 'api_token.deleted',
      target: { type: 'api_token', id: token.id },
      changes: { name: { from: token.name, to: null } },
    })),
    {
      action: 'user.deleted',
      target: { type: 'user', id },
      changes: { email: { from: user.email, to: null }, name: { from: user.name, to: null } },
    },
  ]);
}

/** A link that sets a user's password is a way to sign in as them: the rules are those of setting it. */
export async function requireUserToReset(tx: Tx, actor: Actor, id: string): Promise<User> {
  const caller = await lockToManage(tx, actor);
  const user = await requireUser(tx, actor.accountId, id);
  // A change of the role ends the user's links: one that is made meanwhile must not be left.
  checkTokenMayReset(caller, await requireToCover(tx, caller, id, { locks: true }));
  if ((await isInstanceAdmin(tx, actor.accountId, id)) && !actsForInstance(caller)) {
    throw forbidden("only the instance administrator may reset the instance administrator's password");
  }
  return user;
}

/**
 * Null: the role stays. `role: operator` alone leaves a role of the account as it is: a client that does not know these
 * sends it with every change.
 */
function nextRole(before: User, { role, roleId }: UserChange): RoleChoice | null {
  const next =
    roleId === undefined
      ? {
          role: role ?? before.role,
          roleId: role === undefined || role === before.role ? before.roleId : null,
        }
      : { role: role ?? (roleId === null ? before.role : 'operator'), roleId };
  return next.role === before.role && next.roleId === before.roleId ? null : next;
}

/** A leaked token must not become a login of a user who manages. */
function checkTokenMayReset(actor: Actor, rights: Parameters<typeof manages>[0]): void {
  if (actor.kind !== 'token' || !manages(rights)) return;
  const whose = rights.role === 'admin' ? "an administrator's" : "a manager's";
  throw forbidden(`a token cannot set ${whose} password: sign in to do this`);
}

/**
 * Setting that password allows signing in with it: account administrators and tokens must not gain instance rights.
 */
function actsForInstance(actor: Actor): boolean {
  return actor.kind === 'system' || (actor.kind === 'user' && actor.isInstanceAdmin);
}

async function requireUser(db: Reader, accountId: string, id: string): Promise<User> {
  const user = isId(id) ? await findUser(db, accountId, id) : null;
  if (!user) throw notFound('user');
  return user;
}

/** A 400 that names `field` unless every id is a user of the account. */
export async function checkUserIds(
  db: Reader,
  accountId: string,
  ids: string[],
  field: string,
): Promise<void> {
  const malformed = ids.find((id) => !isId(id));
  if (malformed !== undefined) throw badRequest(`${field} has an unknown user: ${malformed.slice(0, 100)}`);
  if (ids.length === 0) return;
  const [unknown] = await selectUnknownUserIds(db, accountId, ids);
  if (unknown !== undefined) throw badRequest(`${field} has an unknown user: ${unknown}`);
}

/** Ids or e-mail addresses, as people write them in a table, with the id of each user. */
export async function findUserIds(
  db: Reader,
  accountId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const found = await selectUsersByIdOrEmail(
    db,
    accountId,
    names.filter(isId),
    names.map((name) => name.trim().toLowerCase()),
  );
  const ids = new Map(found.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
  return new Map(
    names.flatMap((name) => {
      const id = ids.get(name) ?? ids.get(name.trim().toLowerCase());
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

export function checkEmail(text: string, field: string): string {
  const email = text.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badRequest(`${field} must be an e-mail address`);
  return email;
}
