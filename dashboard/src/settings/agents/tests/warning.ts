/** Whether a draft has passed its tests, as the service asks before it publishes one with `block`. */
import type { AgentTestCase, AgentTestRun } from '../../../../../contract/agent-tests.ts';
import type { AgentDraft } from '../../../../../contract/agent-versions.ts';
import type { Agent } from '../../../../../contract/channels.ts';
import type { RunWithResults } from './tests-data.ts';

/** The newest one over the draft as it is. */
export const runOfDraft = (
  runs: readonly AgentTestRun[],
  { updatedAt }: Pick<AgentDraft, 'updatedAt'>,
): AgentTestRun | undefined =>
  runs.find(
    ({ kind, state, version, createdAt }) =>
      kind === 'run' && state === 'done' && version === null && createdAt >= updatedAt,
  );

export function hasPassed(
  { version, publishGate: { minPassRate, noNewFailures } }: Pick<Agent, 'version' | 'publishGate'>,
  cases: readonly Pick<AgentTestCase, 'id' | 'updatedAt'>[],
  { results, createdAt, baseline }: Pick<RunWithResults, 'results' | 'createdAt' | 'baseline'>,
): boolean {
  const resultOf = new Map(results.map((one) => [one.caseId, one]));
  const isRun = ({ id, updatedAt }: (typeof cases)[number]) => resultOf.has(id) && updatedAt <= createdAt;
  const failed = cases.filter(({ id }) => resultOf.get(id)?.subject?.passed !== true);
  const isNew = ({ id }: (typeof cases)[number]) =>
    baseline !== version || resultOf.get(id)?.baseline?.passed !== false;
  return (
    cases.length > 0 &&
    cases.every(isRun) &&
    (cases.length - failed.length) / cases.length >= minPassRate &&
    !(noNewFailures && failed.some(isNew))
  );
}
