/**
 * Node's test runner finds the test that a callback belongs to with a hook that runs for every promise of the process:
 * an await then takes twenty times as long. Here it finds it in the asynchronous context instead, which also follows
 * the import of a file. An unhandled rejection belongs to the test in which it was made, which may be an earlier one:
 * the file fails in any case. Preloaded by `scripts/test.ts`: the runner gets these functions from the module as it is loaded.
 */
import type * as AsyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

type Hooks = { -readonly [name in keyof typeof AsyncHooks]: (typeof AsyncHooks)[name] };

const load = createRequire(import.meta.url);
// A thread inherits the preload, and has no tests.
if (isMainThread) loadRunner(load('node:async_hooks') as Hooks);

function loadRunner(hooks: Hooks): void {
  const { AsyncResource, createHook, executionAsyncId } = hooks;
  const currentScope = new hooks.AsyncLocalStorage<number>();
  let noteResource: AsyncHooks.HookCallbacks['init'];

  /** Every test and suite is one, and runs its function in its scope. */
  hooks.AsyncResource = class extends AsyncResource {
    constructor(type: string, options?: AsyncHooks.AsyncResourceOptions) {
      super(type, options);
      noteResource?.(this.asyncId(), type, this.triggerAsyncId(), this);
    }

    override runInAsyncScope<This, Result, Args extends unknown[]>(
      fn: (this: This, ...args: Args) => Result,
      thisArg?: This,
      ...args: Args
    ): Result {
      const run = () => currentScope.run(this.asyncId(), () => fn.apply(thisArg as This, args));
      return super.runInAsyncScope(run);
    }
  };
  hooks.executionAsyncId = () => currentScope.getStore() ?? executionAsyncId();
  hooks.createHook = ({ init }) => {
    noteResource = init;
    return {
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    };
  };
  load('node:test');
  Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
}
