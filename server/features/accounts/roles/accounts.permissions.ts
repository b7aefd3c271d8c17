/** What a person may do: the one place where rights are decided. Routes declare permissions, rules ask `may`. */
import { isManagingScope, type Role, type Scope } from '../../../../contract/limits.ts';
import {
  type Permission,
  permissionsOfRole,
  scopeOfPermission,
} from '../../../../contract/roles/permissions.ts';
import { forbidden } from '../../../platform/http/errors.ts';

/** The user whose rights count: the caller, or the owner of a token. */
export interface Person {
  id: string;
  role: Role;
  /** Of the account's own role; absent or null: those of `role`. */
  permissions?: readonly Permission[] | null;
}

/** The role of a user: a built-in one, or one of the account. */
export interface RoleChoice {
  role: Role;
  roleId: string | null;
}

/** As much of an actor as decides. */
type Caller =
  | ({ kind: 'user' } & Person)
  | { kind: 'token'; scopes: readonly Scope[]; user: Person }
  | { kind: 'system' }
  | { kind: 'rule' };

export function permissionsOf({ role, permissions }: Omit<Person, 'id'>): readonly Permission[] {
  return role === 'operator' && permissions ? permissions : permissionsOfRole[role];
}

/** For someone other than the caller, such as a colleague who is to be notified. */
export function personMay(person: Omit<Person, 'id'>, permission: Permission): boolean {
  return permissionsOf(person).includes(permission);
}

/** A token needs the scope of the permission too. */
export function may(actor: Caller, permission: Permission): boolean {
  if (actor.kind === 'system' || actor.kind === 'rule') return true;
  if (actor.kind === 'user') return personMay(actor, permission);
  return actor.scopes.includes(scopeOfPermission[permission]) && personMay(actor.user, permission);
}

/** A 403 that says what is missing. */
export function requireMay(actor: Caller, permission: Permission): void {
  if (actor.kind === 'token') requireScope(actor, [scopeOfPermission[permission]]);
  requirePermission(actor, [permission]);
}

/** For addresses that receive what customers write. Setting one is a way to read conversations, as with a webhook. */
export function requireAddressRight(actor: Caller, field: string): void {
  if (may(actor, 'webhooks.manage')) return;
  throw forbidden(
    `${field} needs the permission webhooks.manage as well: it decides who receives what customers write`,
  );
}

/** One of the scopes is enough. */
export function requireScope(token: { scopes: readonly Scope[] }, scopes: readonly Scope[]): void {
  if (!scopes.some((scope) => token.scopes.includes(scope))) {
    throw forbidden(`the token lacks the scope ${scopes.join(' or ')}`);
  }
}

/** One of the permissions is enough. Scopes are checked apart. */
export function requirePermission(actor: Caller, wanted: readonly Permission[]): void {
  if (actor.kind === 'system' || actor.kind === 'rule') return;
  const person = actor.kind === 'user' ? actor : actor.user;
  if (wanted.some((one) => personMay(person, one))) return;
  if (!person.permissions) throw forbidden('only an administrator may do this');
  const whose = actor.kind === 'user' ? 'your role' : 'the role of the user of this token';
  throw forbidden(`${whose} lacks the permission ${wanted.join(' or ')}`);
}

/** Whether these rights change settings or people: a leaked token must not gain them. */
export function manages(person: Omit<Person, 'id'>): boolean {
  return permissionsOf(person).some((one) => isManagingScope(scopeOfPermission[one]));
}

/** Whether the first has every right of the second. Only an administrator has every right of an administrator. */
export function covers(actor: Caller, other: Omit<Person, 'id'>): boolean {
  if (actor.kind === 'system' || actor.kind === 'rule') return true;
  const person = actor.kind === 'user' ? actor : actor.user;
  if (person.role === 'admin') return true;
  if (other.role === 'admin') return false;
  const own = permissionsOf(person);
  return permissionsOf(other).every((one) => own.includes(one));
}
