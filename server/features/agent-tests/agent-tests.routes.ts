import {
  AgentReplayCreate,
  AgentTestCase,
  AgentTestCaseCreate,
  AgentTestCaseUpdate,
  AgentTestRun,
  AgentTestRunCreate,
  AgentTestRunDetails,
} from '../../../contract/agent-tests.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { type Actor, may } from '../accounts/accounts.ts';
import { readableBy } from '../knowledge/knowledge.ts';
import { requireUnchanged, takeFromConversation } from './agent-tests.freeze.ts';
import { cancelRun, listRuns, readRun, startReplay, startRun } from './agent-tests.runs.ts';
import { changeCase, createCase, listCases, readCase, removeCase } from './agent-tests.ts';

export function agentTestsRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, pageTokens, visibleTo } = context;
  const config = { access: { scope: 'manage', permission: 'agents.manage' } } as const;
  const tags = ['Agents'];
  const params = Type.Object({ id: Type.String() });
  const caseParams = Type.Object({ ...params.properties, caseId: Type.String() });
  const placeOf = async (actor: Actor, agentId: string) => ({
    agentId,
    visible: await readableBy(visibleTo, actor),
  });

  app.post(
    '/agents/:id/test-cases',
    {
      config,
      schema: {
        tags,
        summary: 'Create a test case',
        params,
        body: AgentTestCaseCreate,
        response: { 201: AgentTestCase },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const place = await placeOf(actor, request.params.id);
      const taken = await takeFromConversation(context, actor, place, body);
      return write(request, reply, async (tx) => {
        if (taken) await requireUnchanged(tx, actor, place, taken);
        return { status: 201, body: await createCase(tx, actor, clock.now(), place, body, taken) };
      });
    },
  );

  app.get(
    '/agents/:id/test-cases',
    {
      config,
      schema: {
        tags,
        summary: 'List the test cases of an agent, oldest first',
        description: 'Without those of conversations that the caller may not read.',
        params,
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(AgentTestCase) },
      },
    },
    async ({ actor, params: { id }, query }) =>
      listCases(db, pageTokens, actor.accountId, await placeOf(actor, id), query),
  );

  app.get(
    '/agents/:id/test-cases/:caseId',
    {
      config,
      schema: { tags, summary: 'One test case', params: caseParams, response: { 200: AgentTestCase } },
    },
    async ({ actor, params: { id, caseId } }) =>
      readCase(db, actor.accountId, await placeOf(actor, id), caseId),
  );

  app.patch(
    '/agents/:id/test-cases/:caseId',
    {
      config,
      schema: {
        tags,
        summary: 'Change a test case',
        params: caseParams,
        body: AgentTestCaseUpdate,
        response: { 200: AgentTestCase },
      },
    },
    async (request, reply) => {
      const { actor, body, params: of } = request;
      const place = await placeOf(actor, of.id);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeCase(tx, actor, clock.now(), place, of.caseId, body),
      }));
    },
  );

  app.delete(
    '/agents/:id/test-cases/:caseId',
    {
      config,
      schema: { tags, summary: 'Delete a test case', params: caseParams, response: { 200: Done } },
    },
    async (request, reply) => {
      const { actor, params: of } = request;
      const place = await placeOf(actor, of.id);
      return write(request, reply, async (tx) => {
        await removeCase(tx, actor, place, of.caseId);
        return { status: 200, body: { message: 'test case deleted' } };
      });
    },
  );

  const runParams = Type.Object({ ...params.properties, runId: Type.String() });
  app.post(
    '/agents/:id/test-runs',
    {
      config,
      schema: {
        tags,
        summary: 'Run the test cases of an agent',
        description:
          'Each case is answered by the version or the draft, and by the baseline if there is one. Nothing is sent, and no tool is called. While a run or a replay of the agent runs: 409 `RUN_RUNNING`.',
        params,
        body: AgentTestRunCreate,
        response: { 202: AgentTestRun },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const place = await placeOf(actor, request.params.id);
      return write(request, reply, async (tx) => ({
        status: 202,
        body: await startRun(tx, actor, clock.now(), secrets, place, body),
      }));
    },
  );

  app.post(
    '/agents/:id/replay',
    {
      config,
      schema: {
        tags,
        summary: 'Replay real conversations with the draft of an agent',
        description:
          'The newest replies that the agent has sent, of conversations that the caller may read: what the draft would have answered, beside what was sent. It is read like a run. Nothing is sent, and no tool is called. Without a draft: 409 `NO_DRAFT`; while a run or a replay of the agent runs: 409 `RUN_RUNNING`.',
        params,
        body: AgentReplayCreate,
        response: { 202: AgentTestRun },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const place = await placeOf(actor, request.params.id);
      return write(request, reply, async (tx) => ({
        status: 202,
        body: await startReplay(tx, actor, clock.now(), secrets, place, body),
      }));
    },
  );

  app.get(
    '/agents/:id/test-runs',
    {
      config,
      schema: {
        tags,
        summary: 'List the runs and replays of an agent, newest first',
        description: `The newest ${limits.agentTests.runsKept} are kept.`,
        params,
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(AgentTestRun) },
      },
    },
    ({ actor, params: { id }, query }) => listRuns(db, pageTokens, actor.accountId, id, query),
  );

  app.get(
    '/agents/:id/test-runs/:runId',
    {
      config,
      schema: {
        tags,
        summary: 'A run or a replay with its results',
        params: runParams,
        response: { 200: AgentTestRunDetails },
      },
    },
    async ({ actor, params: { id, runId } }) =>
      readRun(db, actor.accountId, await placeOf(actor, id), runId, may(actor, 'knowledge.view')),
  );

  app.post(
    '/agents/:id/test-runs/:runId/cancel',
    {
      config,
      schema: {
        tags,
        summary: 'Cancel a run or a replay',
        description: 'What is done stays. One that has ended stays as it is.',
        params: runParams,
        response: { 200: AgentTestRun },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: of } = request;
        return { status: 200, body: await cancelRun(tx, actor, clock.now(), of.id, of.runId) };
      }),
  );
}
