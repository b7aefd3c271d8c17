/** Methods that are run by the node that owns the caller's account. */
import { unavailable } from '../http/errors.ts';
import type { Nodes } from './nodes.ts';

interface Caller {
  accountId: string;
}
type Method = (caller: never, ...args: never[]) => Promise<unknown>;
type MethodsOf<T> = { [Name in keyof T]: T[Name] extends Method ? Name : never }[keyof T] & string;

export interface OwnedCalls<T, Name extends keyof T> {
  /** Run on the owner where possible; the caller and all arguments and results must survive JSON. */
  methods: Pick<T, Name>;
  close(): void;
}

interface Call<C> {
  method: string;
  caller: C;
  args: unknown[];
}

export interface OwnedCallsDeps<T, Name extends MethodsOf<T>, C extends Caller> {
  nodes: Nodes;
  topic: string;
  local: T;
  names: readonly Name[];
  /** What the owner needs to know of the caller. */
  rightsOf(caller: C): C;
}

export function ownedCalls<T extends object, Name extends MethodsOf<T>, C extends Caller>({
  nodes,
  topic,
  local,
  names,
  rightsOf,
}: OwnedCallsDeps<T, Name, C>): OwnedCalls<T, Name> {
  const run = (name: string, caller: C, args: unknown[]): Promise<unknown> =>
    (local[name as keyof T] as (caller: C, ...rest: unknown[]) => Promise<unknown>)(caller, ...args);
  const close = nodes.serve(topic, async (question) => {
    const { method, caller, args } = question as Call<C>;
    // Another release may have methods that this one does not have; its node then answers itself.
    if (!(names as readonly string[]).includes(method)) throw unavailable('this node has no such method');
    return run(method, caller, args);
  });
  const onOwner =
    (method: string) =>
    async (caller: C, ...args: unknown[]) => {
      const call: Call<C> = { method, caller: rightsOf(caller), args: withoutTrailing(args) };
      const found = await nodes.ask(caller.accountId, topic, call);
      return found ? found.answer : run(method, caller, args);
    };
  const methods = Object.fromEntries(names.map((name) => [name, onOwner(name)]));
  return { methods: methods as unknown as Pick<T, Name>, close };
}

/** JSON would make them null. */
function withoutTrailing(args: unknown[]): unknown[] {
  const last = args.findLastIndex((arg) => arg !== undefined);
  return args.slice(0, last + 1);
}
