/** Who makes a request. Every rule that asks "may they?" asks it of an Actor. */
import type { Role, Scope } from '../../../contract/limits.ts';

export interface UserActor {
  kind: 'user';
  accountId: string;
  id: string;
  name: string;
  email: string;
  role: Role;
  isInstanceAdmin: boolean;
  sessionId: string;
}

/** A token acts as an operator of its own name, with exactly its scopes. */
export interface TokenActor {
  kind: 'token';
  accountId: string;
  id: string;
  name: string;
  scopes: readonly Scope[];
}

/** The command line tool and the first start. What `demo` made is known by its id, which no user can have. */
export interface SystemActor {
  kind: 'system';
  accountId: string;
  id: 'system' | 'demo';
  name: string;
}

export type Actor = UserActor | TokenActor | SystemActor;

export function systemActor(accountId: string): SystemActor {
  return { kind: 'system', accountId, id: 'system', name: 'Talkboard' };
}

export function demoActor(accountId: string): SystemActor {
  return { kind: 'system', accountId, id: 'demo', name: 'Demo' };
}

/** Operators see only the boards that are open to them; everyone else sees all. */
export function isOperator(actor: Actor): actor is UserActor {
  return actor.kind === 'user' && actor.role === 'operator';
}
