/** Assigns conversations as soon as one waits and somebody is free for it. */
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../../platform/logger.ts';
import { hasAccountsToAssign } from './assignment.sql.ts';
import { type AssignmentDeps, assignAll } from './assignment.ts';

const everyMs = 300;
const afterErrorMs = 2_000;

export function startAssigner(deps: AssignmentDeps & { logger: Logger }): { stop(): Promise<void> } {
  return runWhenDue<boolean>(deps.db, {
    look: { name: 'assignment', value: hasAccountsToAssign },
    isDue: (hasAny) => hasAny,
    async run() {
      await assignAll(deps);
      return false;
    },
    onError: (error) => deps.logger.warn({ err: error }, 'assigning conversations failed; retrying'),
    everyMs,
    afterErrorMs,
  });
}
