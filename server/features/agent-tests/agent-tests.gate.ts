/** What keeps settings of an agent from being published: without a run of all cases, as they are now, that passed. */
import type { PublishGate } from '../../../contract/channels.ts';
import { contentOf, type TestsOfAgents } from '../channels/channels.ts';
import { type RunForGate, selectRunsOfContent } from './agent-tests.runs.sql.ts';
import { selectCaseRevisions } from './agent-tests.sql.ts';

export const testsOfAgents: TestsOfAgents = {
  async findFailing(tx, accountId, { agent, content, gate }) {
    const [cases, runs] = await Promise.all([
      selectCaseRevisions(tx, accountId, agent.id),
      selectRunsOfContent(tx, accountId, agent.id, { content, published: contentOf(agent) }),
    ]);
    const verdicts = runs.map((run) => failingIn(run, cases, gate));
    // An agent without cases has nothing that could pass.
    if (cases.length > 0 && verdicts.includes(null)) return null;
    return verdicts[0] ?? named(cases);
  },
};

type Case = Awaited<ReturnType<typeof selectCaseRevisions>>[number];

/** Null: the run passed. */
export function failingIn(
  { results, isBesidePublished }: RunForGate,
  cases: readonly Case[],
  { minPassRate, noNewFailures }: PublishGate,
): { id: string; name: string }[] | null {
  const resultOf = new Map(results.map((one) => [one.caseId, one]));
  const untested = cases.filter(({ id, revision }) => resultOf.get(id)?.revision !== revision);
  const failed = cases.filter(({ id }) => resultOf.get(id)?.passed === false);
  const isNew = ({ id }: Case) => !isBesidePublished || resultOf.get(id)?.passedBefore !== false;
  const passed =
    untested.length === 0 &&
    // Divided, not multiplied: 0.55 * 100 is more than 55.
    (cases.length - failed.length) / cases.length >= minPassRate &&
    !(noNewFailures && failed.some(isNew));
  return passed ? null : named(cases.filter((one) => untested.includes(one) || failed.includes(one)));
}

const named = (cases: readonly Case[]) => cases.map(({ id, name }) => ({ id, name }));
