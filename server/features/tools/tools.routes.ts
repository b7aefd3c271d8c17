import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { Tool, ToolCreate, ToolTry, ToolTryAnswer, ToolUpdate } from '../../../contract/tools.ts';
import type { Context } from '../../context.ts';
import { unavailable } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { checkToolUrl } from './tools.check.ts';
import { tryTool } from './tools.try.ts';
import { changeTool, createTool, listTools, removeTool, requireTool } from './tools.ts';

export function toolsRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, definitions, config: settings } = context;
  const tags = ['Tools'];
  const config = { access: { scope: 'manage', permission: 'agents.manage' } } as const;
  const params = Type.Object({ id: Type.String() });
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort(unavailable('the service is stopping'));
    done();
  });

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

  app.post(
    '/tools/:id/try',
    {
      config,
      schema: {
        tags,
        summary: 'Call a tool',
        description:
          'The tool is really called. There is no conversation: `{{customer.id}}` and `{{customer.name}}` are `example`, fields of the card have no value. A failed call is a 200 with `error`.',
        params,
        body: ToolTry,
        response: { 200: ToolTryAnswer },
      },
    },
    async ({ actor, params: { id }, body }, reply) => {
      // A disconnected client need not be waited for.
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, stopping.signal]);
      return tryTool(context, actor.accountId, id, body, signal);
    },
  );
}
