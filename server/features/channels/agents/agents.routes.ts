import {
  AgentDraft,
  AgentDraftWrite,
  AgentPublish,
  AgentRollback,
  AgentRolledBack,
  AgentVersion,
  AgentVersionEntry,
  AgentVersionQuery,
} from '../../../../contract/agent-versions.ts';
import { Agent, AgentCreate, AgentRead, AgentUpdate } from '../../../../contract/channels.ts';
import { limits } from '../../../../contract/limits.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { loadDirectory } from '../channels.directory.ts';
import { pageById } from '../channels.pages.ts';
import {
  changeAgent,
  checkAgentUrl,
  createAgent,
  moveKnowledge,
  removeAgent,
  requireAgent,
  toAgentFor,
} from './agents.ts';
import {
  discardDraft,
  listVersions,
  publishDraft,
  readDraft,
  readVersion,
  rollBack,
  writeDraft,
} from './agents.versions.ts';

const read = { access: { scope: 'messages:read', everyUser: true } } as const;
const manageAgents = { access: { scope: 'manage', permission: 'agents.manage' } } as const;
const tags = ['Agents'];
const params = Type.Object({ id: Type.String() });
const versionParams = Type.Object({ ...params.properties, version: Type.String() });
const listQuery = Type.Object(pageQuery(limits.listPage));

export function agentsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, secrets, config } = context;
  app.post(
    '/agents',
    {
      config: manageAgents,
      schema: { tags, summary: 'Create an agent', body: AgentCreate, response: { 201: Agent } },
    },
    async (request, reply) => {
      await checkAgentUrl(request.body.baseUrl, config.outboundAllow);
      return write(request, reply, async (tx) => {
        return {
          status: 201,
          body: await createAgent(tx, request.actor, clock.now(), secrets, request.body),
        };
      });
    },
  );

  app.get(
    '/agents',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the agents',
        querystring: listQuery,
        response: { 200: pageOf(AgentRead) },
      },
    },
    async (request) => {
      const { actor } = request;
      const { agents } = await loadDirectory(db, actor.accountId);
      const shown = [...agents.values()].map((agent) => toAgentFor(actor, agent));
      return pageById(shown, request.query, pageTokens, ['agents', actor.accountId]);
    },
  );

  app.get(
    '/agents/:id',
    { config: read, schema: { tags, summary: 'One agent', params, response: { 200: AgentRead } } },
    async ({ actor, params: place }) =>
      toAgentFor(actor, requireAgent(await loadDirectory(db, actor.accountId), place.id)),
  );

  app.patch(
    '/agents/:id',
    {
      config: manageAgents,
      schema: { tags, summary: 'Change an agent', params, body: AgentUpdate, response: { 200: Agent } },
    },
    async (request, reply) => {
      await checkAgentUrl(request.body.baseUrl, config.outboundAllow);
      return write(request, reply, async (tx) => {
        const { id } = request.params;
        return {
          status: 200,
          body: await changeAgent(tx, request.actor, clock.now(), context, id, request.body),
        };
      });
    },
  );

  app.post(
    '/agents/:id/knowledge/move',
    {
      config: manageAgents,
      schema: {
        tags,
        summary: "Move an agent's own knowledge into articles",
        description:
          'Each entry becomes a published, public article of the account, and the agent gets the source "Articles". Needs `knowledge.manage` too. An agent without entries stays as it is.',
        params,
        response: { 200: Agent },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await moveKnowledge(tx, request.actor, clock.now(), context, request.params.id),
      })),
  );

  app.delete(
    '/agents/:id',
    {
      config: manageAgents,
      schema: { tags, summary: 'Delete an agent that nothing uses', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeAgent(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'agent deleted' } };
      }),
  );

  app.get(
    '/agents/:id/draft',
    {
      config: manageAgents,
      schema: { tags, summary: 'The draft of an agent', params, response: { 200: AgentDraft } },
    },
    ({ actor, params: { id } }) => readDraft(db, actor.accountId, id),
  );

  app.put(
    '/agents/:id/draft',
    {
      config: manageAgents,
      schema: {
        tags,
        summary: 'Save a draft of an agent',
        description:
          'Instead of the one before. Customers are answered by the published agent until the draft is published.',
        params,
        body: AgentDraftWrite,
        response: { 200: AgentDraft },
      },
    },
    async (request, reply) => {
      await checkAgentUrl(request.body.baseUrl, config.outboundAllow);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await writeDraft(tx, request.actor, clock.now(), secrets, request.params.id, request.body),
      }));
    },
  );

  app.delete(
    '/agents/:id/draft',
    {
      config: manageAgents,
      schema: { tags, summary: 'Discard the draft of an agent', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await discardDraft(tx, request.actor, request.params.id);
        return { status: 200, body: { message: 'draft discarded' } };
      }),
  );

  app.post(
    '/agents/:id/publish',
    {
      config: manageAgents,
      preValidation: (request, _reply, done) => {
        request.body ??= {};
        done();
      },
      schema: {
        tags,
        summary: 'Publish the draft of an agent',
        description:
          'It becomes the next version. Without a draft: 409 `NO_DRAFT`. If the agent has changed since the draft was saved: 409 `CONFLICT`. Without the tests that its `publishGate` asks for: 409 `TESTS_FAILED` with `cases`; `force` publishes all the same, and needs `agents.force_publish`.',
        params,
        body: AgentPublish,
        response: { 200: Agent },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await publishDraft(tx, request.actor, clock.now(), context, request.params.id, request.body),
      })),
  );

  app.post(
    '/agents/:id/rollback',
    {
      config: manageAgents,
      schema: {
        tags,
        summary: 'Go back to an earlier version of an agent',
        description:
          'Its settings become the next version. `leftOut` names boards, tools and sources that have been deleted since.',
        params,
        body: AgentRollback,
        response: { 200: AgentRolledBack },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await rollBack(tx, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.get(
    '/agents/:id/versions',
    {
      config: manageAgents,
      schema: {
        tags,
        summary: 'List the versions of an agent, newest first',
        params,
        querystring: listQuery,
        response: { 200: pageOf(AgentVersionEntry) },
      },
    },
    ({ actor, params: { id }, query }) => listVersions(db, pageTokens, actor.accountId, id, query),
  );

  app.get(
    '/agents/:id/versions/:version',
    {
      config: manageAgents,
      schema: {
        tags,
        summary: 'One version of an agent, and what differs from another one',
        params: versionParams,
        querystring: AgentVersionQuery,
        response: { 200: AgentVersion },
      },
    },
    ({ actor, params: { id, version }, query }) =>
      readVersion(db, actor.accountId, id, version, query.compare),
  );
}
