/** The roles that an account makes itself, and who may give which role to whom. */
import { limits, roles } from '../../../../contract/limits.ts';
import {
  type Permission,
  permissionRules,
  permissionsOfRole,
} from '../../../../contract/roles/permissions.ts';
import type { Role, RoleCreate, RoleUpdate } from '../../../../contract/roles/roles.ts';
import { isUniqueViolation, type Reader, type Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, forbidden, notFound } from '../../../platform/http/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { type Actor, personOf } from '../accounts.actor.ts';
import { audit, auditAll, differences } from '../accounts.audit.ts';
import { deleteLinksOfRole } from '../login/accounts.links.sql.ts';
import { covers, manages, type Person, type RoleChoice, requireMay } from './accounts.permissions.ts';
import {
  countRoles,
  countUsersByRole,
  deleteRole,
  findRights,
  insertRole,
  lockRightsOf,
  lockRole,
  lockRolesNamed,
  type RoleRow,
  replaceRole,
  selectRoles,
  selectUsersWithRole,
  updateRole,
} from './accounts.roles.sql.ts';

/** Handled by a job: conversations whose owner may no longer see them lose that owner. */
export const releaseOwnersJobKind = jobKind('release-owners');

/** What roles need to know about invitations, which are below them in the order of features. */
export interface InvitationsOfRole {
  count(tx: Tx, accountId: string, roleId: string): Promise<number>;
  /** Their links end. The invitations stay, to be sent again. */
  expire(tx: Tx, accountId: string, roleId: string, now: number): Promise<void>;
  /** They give another role from now on; null: that of an operator. */
  replace(tx: Tx, accountId: string, roleId: string, next: string | null): Promise<void>;
}

type Rights = Omit<Person, 'id'>;

export async function listRoles(db: Reader, accountId: string): Promise<Role[]> {
  const counts = await countUsersByRole(db, accountId);
  const own = await selectRoles(db, accountId);
  const builtIn = roles.map((name) => ({
    id: name as string,
    name: name as string,
    description: '',
    isBuiltIn: true,
    permissions: [...permissionsOfRole[name]],
    userCount: counts.get(name) ?? 0,
    createdAt: null,
    updatedAt: null,
  }));
  return [...builtIn, ...own.map((row) => toRole(row, counts.get(row.id) ?? 0))];
}

export async function requireRole(db: Reader, accountId: string, id: string): Promise<Role> {
  const found = (await listRoles(db, accountId)).find((role) => role.id === id);
  if (!found) throw notFound('role');
  return found;
}

export async function createRole(tx: Tx, actor: Actor, now: number, input: RoleCreate): Promise<Role> {
  const { accountId } = actor;
  await lockAsAdministrator(tx, actor);
  if ((await countRoles(tx, accountId)) >= limits.rolesPerAccount) {
    throw conflict(`an account can have at most ${limits.rolesPerAccount} roles of its own`);
  }
  const row: RoleRow = {
    id: newId(now),
    name: checkName(input.name),
    description: input.description?.trim() ?? '',
    permissions: checkPermissions(input.permissions),
    createdAt: now,
    updatedAt: now,
  };
  await insertRole(tx, accountId, row).catch(nameIsTaken);
  const { name, description, permissions } = row;
  await audit(tx, actor, now, {
    action: 'role.created',
    target: { type: 'role', id: row.id },
    changes: differences({}, { name, description, permissions }),
  });
  return toRole(row, 0);
}

/**
 * Before a transaction gives or takes rights: the caller with the rights that they have now, which cannot change until it
 * ends. A request that began before its caller was demoted gives nothing more. It is the first lock of a transaction.
 */
export async function lockRights(tx: Tx, actor: Actor): Promise<Actor> {
  await lockRightsOf(tx, actor.accountId);
  const person = personOf(actor);
  if (!person) return actor;
  const rights = await findRights(tx, actor.accountId, person.id, false);
  if (!rights) throw forbidden('your user no longer exists');
  return actor.kind === 'token' ? { ...actor, user: { ...person, ...rights } } : { ...actor, ...rights };
}

/** The caller as they are now, who must still have the permission. It is the first lock of a transaction too. */
export async function lockToManage(
  tx: Tx,
  actor: Actor,
  permission: 'users.manage' | 'tokens.manage' = 'users.manage',
): Promise<Actor> {
  const caller = await lockRights(tx, actor);
  requireMay(caller, permission);
  return caller;
}

/** For changes that only a signed-in administrator makes. */
async function lockAsAdministrator(tx: Tx, actor: Actor): Promise<void> {
  const current = await lockRights(tx, actor);
  if (current.kind === 'user' && current.role !== 'admin')
    throw forbidden('only an administrator may do this');
}

/** In force with the commit, also for those who are signed in: callers drop the cached actors. */
export async function changeRole(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: RoleUpdate,
  invitations: InvitationsOfRole,
): Promise<Role> {
  const { accountId } = actor;
  await lockAsAdministrator(tx, actor);
  const before = await requireOwnRole(tx, accountId, id);
  const after: RoleRow = {
    ...before,
    ...(change.name !== undefined && { name: checkName(change.name) }),
    ...(change.description !== undefined && { description: change.description.trim() }),
    ...(change.permissions && { permissions: checkPermissions(change.permissions) }),
  };
  const { name, description, permissions } = after;
  const changes = differences(before, { name, description, permissions });
  const users = await selectUsersWithRole(tx, accountId, id);
  if (Object.keys(changes).length === 0) return toRole(before, users.length);
  after.updatedAt = now;
  await updateRole(tx, accountId, after).catch(nameIsTaken);
  if (changes.permissions) {
    // A link that was made for a user with fewer rights must not sign in with more.
    await deleteLinksOfRole(tx, accountId, id);
    await invitations.expire(tx, accountId, id, now);
    await enqueue(tx, { accountId, kind: releaseOwnersJobKind });
  }
  await audit(tx, actor, now, { action: 'role.updated', target: { type: 'role', id }, changes });
  return toRole(after, users.length);
}

/** A role that is in use, also by an invitation, is deleted only with a replacement. */
export async function removeRole(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  replacement: string | undefined,
  invitations: InvitationsOfRole,
): Promise<void> {
  const { accountId } = actor;
  await lockAsAdministrator(tx, actor);
  const role = await requireOwnRole(tx, accountId, id);
  const users = await selectUsersWithRole(tx, accountId, id);
  const invitationCount = await invitations.count(tx, accountId, id);
  if (replacement === undefined && users.length + invitationCount > 0) {
    throw conflict('the role is in use: name another one as replacement', {
      userCount: users.length,
      invitationCount,
    });
  }
  const next = await replacementOf(tx, accountId, id, replacement);
  await deleteLinksOfRole(tx, accountId, id);
  await replaceRole(tx, accountId, id, next, now);
  await invitations.expire(tx, accountId, id, now);
  await invitations.replace(tx, accountId, id, next);
  await deleteRole(tx, accountId, id);
  if (users.length > 0) await enqueue(tx, { accountId, kind: releaseOwnersJobKind });
  await auditAll(tx, actor, now, [
    ...users.map((userId) => ({
      action: 'user.updated',
      target: { type: 'user', id: userId },
      changes: { roleId: { from: id, to: next } },
    })),
    {
      action: 'role.deleted',
      target: { type: 'role', id },
      changes: { name: { from: role.name, to: null }, ...(replacement && { replacement }) },
    },
  ]);
}

async function replacementOf(
  tx: Tx,
  accountId: string,
  id: string,
  replacement: string | undefined,
): Promise<string | null> {
  if (replacement === undefined || replacement === 'operator') return null;
  const isOther = isId(replacement) && replacement !== id;
  if (!isOther || !(await lockRole(tx, accountId, replacement, 'keep'))) {
    throw badRequest('replacement must be operator or the id of another role of this account');
  }
  return replacement;
}

/**
 * The role to store for a user, checked: the account has it, and the caller gives no more than they have. A leaked
 * token must not turn into a user who manages.
 */
export async function chooseRole(
  tx: Tx,
  actor: Actor,
  { role, roleId }: RoleChoice,
  verb: 'create' | 'promote a user to' | 'invite',
): Promise<RoleChoice> {
  const rights = await rightsOfChoice(tx, actor.accountId, { role, roleId });
  if (actor.kind === 'token' && manages(rights)) {
    const whom =
      role === 'admin' ? (verb === 'promote a user to' ? 'administrator' : 'administrators') : 'managers';
    throw forbidden(`a token cannot ${verb} ${whom}: sign in to do this`);
  }
  if (!covers(actor, rights)) throw forbidden('you cannot give more rights than you have');
  return { role, roleId };
}

/** A 403 unless the caller has every right of the role that a user was given. */
export async function requireToCoverRole(tx: Tx, actor: Actor, given: RoleChoice): Promise<void> {
  const rights = await rightsOfChoice(tx, actor.accountId, given);
  if (!covers(actor, rights)) throw forbidden('this role has rights that you do not have');
}

async function rightsOfChoice(tx: Tx, accountId: string, { role, roleId }: RoleChoice): Promise<Rights> {
  if (roleId === null) return { role };
  const own = isId(roleId) ? await lockRole(tx, accountId, roleId, 'keep') : null;
  if (!own) throw badRequest(`roleId is not a role of this account: ${roleId.slice(0, 100)}`);
  if (role !== 'operator') throw badRequest('a user with a roleId has the role operator');
  return { role, permissions: own.permissions };
}

/**
 * A 403 unless the caller has every right of the user: otherwise they could act as a user with more rights. `locks`: the
 * user keeps the role until the transaction ends. Only where nothing but this user is locked afterwards: boards, tokens and
 * roles are locked before users everywhere else.
 */
export async function requireToCover(
  tx: Tx,
  actor: Actor,
  userId: string,
  { locks = false } = {},
): Promise<Rights> {
  const rights = await findRights(tx, actor.accountId, userId, locks);
  if (!rights) throw notFound('user');
  if (!covers(actor, rights)) throw forbidden('this user has rights that you do not have');
  return rights;
}

/** Of several names, in any case, the role with the most rights; null: the account has none of them. */
export async function strongestRole(
  tx: Tx,
  accountId: string,
  names: readonly string[],
): Promise<RoleChoice | null> {
  const lower = names.map((name) => name.toLowerCase());
  if (lower.includes('admin')) return { role: 'admin', roleId: null };
  const own = await lockRolesNamed(tx, accountId, names);
  const choices = own.map(({ id, permissions }) => ({
    roleId: id as string | null,
    size: permissions.length,
  }));
  if (lower.includes('operator')) choices.push({ roleId: null, size: permissionsOfRole.operator.length });
  const [first] = choices.sort((a, b) => b.size - a.size);
  return first ? { role: 'operator', roleId: first.roleId } : null;
}

async function requireOwnRole(tx: Tx, accountId: string, id: string): Promise<RoleRow> {
  if (roles.some((name) => name === id)) throw conflict('built-in roles cannot be changed');
  const role = isId(id) ? await lockRole(tx, accountId, id, 'change') : null;
  if (!role) throw notFound('role');
  return role;
}

function toRole(row: RoleRow, userCount: number): Role {
  // In the order of the list; a name that this release does not know gives nothing.
  const permissions = permissionRules
    .map(({ name }) => name)
    .filter((name) => row.permissions.includes(name));
  return { ...row, permissions, isBuiltIn: false, userCount };
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  if (roles.some((builtIn) => builtIn === name.toLowerCase())) {
    throw conflict(`name is that of a built-in role: ${name.toLowerCase()}`);
  }
  return name;
}

function checkPermissions(given: readonly Permission[]): Permission[] {
  for (const { name, needs } of permissionRules) {
    if (needs && given.includes(name) && !given.includes(needs)) {
      throw badRequest(`permissions: ${name} needs ${needs}`);
    }
  }
  return permissionRules.map(({ name }) => name).filter((name) => given.includes(name));
}

function nameIsTaken(error: unknown): never {
  if (isUniqueViolation(error, 'roles_name')) throw conflict('name is already in use');
  throw error;
}
