import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { Tool, ToolCreate, ToolUpdate } from '../../../contract/tools.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { checkToolUrl } from './tools.check.ts';
import { changeTool, createTool, listTools, removeTool, requireTool } from './tools.ts';

export function toolsRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, definitions, config: settings } = context;
  const tags = ['Tools'];
  const config = { access: { scope: 'manage', permission: 'agents.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.post(
    '/tools',
    {
      config,
      schema: { tags, summary: 'Create an HTTP tool', body: ToolCreate, response: { 201: Tool } },
    },
    async (request, reply) => {
      const { actor, body } = request;
      await checkToolUrl(body.url, settings.outboundAllow);
      const current = await definitions.fresh(actor.accountId);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createTool(tx, secrets, actor, clock.now(), current, body),
      }));
    },
  );

  app.get(
    '/tools',
    {
      config,
      schema: {
        tags,
        summary: 'List the tools, oldest first',
        response: { 200: Type.Object({ items: Type.Array(Tool), nextToken: Type.Null() }) },
      },
    },
    async ({ actor }) => ({ items: await listTools(db, actor.accountId), nextToken: null }),
  );

  app.get(
    '/tools/:id',
    { config, schema: { tags, summary: 'One tool', params, response: { 200: Tool } } },
    ({ actor, params: { id } }) => requireTool(db, actor.accountId, id),
  );

  app.patch(
    '/tools/:id',
    {
      config,
      schema: { tags, summary: 'Change a tool', params, body: ToolUpdate, response: { 200: Tool } },
    },
    async (request, reply) => {
      const { actor, body, params: place } = request;
      await checkToolUrl(body.url, settings.outboundAllow);
      const current = await definitions.fresh(actor.accountId);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeTool(tx, secrets, actor, clock.now(), current, place.id, body),
      }));
    },
  );

  app.delete(
    '/tools/:id',
    { config, schema: { tags, summary: 'Delete a tool', params, response: { 200: Done } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeTool(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'tool deleted' } };
      }),
  );
}
