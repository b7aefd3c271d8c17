import { McpServer, McpServerCreate } from '../../../../contract/mcp-servers.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import { checkOutboundUrl } from '../../../platform/outbound/outbound-address.ts';
import { openServerHeaders } from './mcp.headers.ts';
import {
  checkServer,
  createServer,
  listServers,
  readTools,
  refreshServer,
  removeServer,
  requireServer,
} from './mcp.servers.ts';

export function mcpRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, config: settings } = context;
  const tags = ['Tools'];
  const config = { access: { scope: 'manage', permission: 'agents.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.post(
    '/mcp-servers',
    {
      config,
      schema: {
        tags,
        summary: 'Add an MCP server',
        description:
          'Its tools are read at once and appear in `GET /tools`, disabled. A server that does not answer is a 409 CONNECTION_REFUSED, and nothing is saved; a name that another tool has is a 409.',
        body: McpServerCreate,
        response: { 201: McpServer },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const headers = checkServer(actor, body);
      const problem = await checkOutboundUrl(body.url, settings.outboundAllow);
      if (problem) throw badRequest(`url ${problem}`);
      const listed = await readTools(context, body.url, headers);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createServer(tx, secrets, actor, clock.now(), body, headers, listed),
      }));
    },
  );

  app.get(
    '/mcp-servers',
    {
      config,
      schema: {
        tags,
        summary: 'List the MCP servers, oldest first',
        response: { 200: Type.Object({ items: Type.Array(McpServer), nextToken: Type.Null() }) },
      },
    },
    async ({ actor }) => ({ items: await listServers(db, actor.accountId), nextToken: null }),
  );

  app.post(
    '/mcp-servers/:id/refresh',
    {
      config,
      schema: {
        tags,
        summary: 'Read the tools of an MCP server again',
        description:
          'New tools are disabled. A tool is disabled if its description or its schema has changed, or if the server has it no longer.',
        params,
        response: { 200: McpServer },
      },
    },
    async (request, reply) => {
      const { actor, params: place } = request;
      const server = await requireServer(db, actor.accountId, place.id);
      const listed = await readTools(context, server.url, openServerHeaders(secrets, server));
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await refreshServer(tx, actor, clock.now(), place.id, listed),
      }));
    },
  );

  app.delete(
    '/mcp-servers/:id',
    {
      config,
      schema: { tags, summary: 'Remove an MCP server with its tools', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeServer(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'MCP server removed' } };
      }),
  );
}
