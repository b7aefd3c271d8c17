/** Looks for conversations to assign, a few times per second. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import { type AssignmentDeps, assignAll } from './assignment.ts';

const pollMs = 300;
const afterFailureMs = 2_000;

export function startAssigner(deps: AssignmentDeps & { logger: Logger; onAssigned(): void }): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      let pause = pollMs;
      try {
        if ((await assignAll(deps)) > 0) deps.onAssigned();
      } catch (error) {
        deps.logger.warn({ err: error }, 'assigning conversations failed; retrying');
        pause = afterFailureMs;
      }
      await delay(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
