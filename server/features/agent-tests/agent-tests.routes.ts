import { AgentTestCase, AgentTestCaseCreate, AgentTestCaseUpdate } from '../../../contract/agent-tests.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { Actor } from '../accounts/accounts.ts';
import { readableBy } from '../knowledge/knowledge.ts';
import { changeCase, createCase, listCases, readCase, removeCase } from './agent-tests.ts';

export function agentTestsRoutes(app: App, { db, clock, write, pageTokens, visibleTo }: Context): void {
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
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createCase(tx, actor, clock.now(), place, body),
      }));
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
}
