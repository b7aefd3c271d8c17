/** Who makes a request. Every permission check uses an Actor. */
import type { Role, Scope } from '../../../contract/limits.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { AddressLists } from './addresses/accounts.addresses.ts';
import type { Person } from './roles/accounts.permissions.ts';

export interface UserActor {
  kind: 'user';
  accountId: string;
  id: string;
  name: string;
  email: string;
  role: Role;
  /** The account's own role and its permissions; absent or null: those of `role`. */
  roleId?: string | null;
  permissions?: readonly Permission[] | null;
  isInstanceAdmin: boolean;
  sessionId: string;
  address?: string;
  /** Of a request: the caller's address must be in each list. */
  allowedFrom?: AddressLists;
  /** The account requires a second factor, and the user has none. */
  mustSetUpFactor?: boolean;
}

/**
 * A token acts under its own name with its scopes, within the rights of the user it belongs to: while that user manages
 * nothing, the token has no `manage`, and while they are an operator, it sees only the boards open to that user.
 */
export interface TokenActor {
  kind: 'token';
  accountId: string;
  id: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
  user: Person;
  address?: string;
  allowedFrom?: AddressLists;
}

/** The command line tool and the first start. What `demo` created is recognised by its id, which no user can have. */
export interface SystemActor {
  kind: 'system';
  accountId: string;
  id: 'system' | 'demo';
  name: string;
  address?: undefined;
}

/** An automation rule. Its author's rights were checked when it was saved; while it runs it needs none. */
export interface RuleActor {
  kind: 'rule';
  accountId: string;
  id: string;
  name: string;
  address?: undefined;
}

/** `address` is the client's, for the audit log; absent in background work. */
export type Actor = UserActor | TokenActor | SystemActor | RuleActor;

export function systemActor(accountId: string): SystemActor {
  return { kind: 'system', accountId, id: 'system', name: 'Talkboard' };
}

export function demoActor(accountId: string): SystemActor {
  return { kind: 'system', accountId, id: 'demo', name: 'Demo' };
}

/** Operators see only the boards open to them; everyone else sees all. */
export function isOperator(actor: Actor): boolean {
  return personOf(actor)?.role === 'operator';
}

/** The user whose rights count: the caller, or the owner of a token. */
export function personOf(actor: Actor): Person | null {
  if (actor.kind === 'user') return actor;
  return actor.kind === 'token' ? actor.user : null;
}

/** The actor as another process needs it to decide what they may see: without name and addresses. */
export function rightsOf(actor: Actor): Actor {
  const { address: _address, ...rights } = actor;
  return rights.kind === 'user' ? { ...rights, name: '', email: '' } : { ...rights, name: '' };
}
