/** The queries of the settings of tools and MCP servers. */
import { queryOptions } from '@tanstack/react-query';
import type { McpServer } from '../../../../contract/mcp-servers.ts';
import type { Tool } from '../../../../contract/tools.ts';
import { apiAll } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';

export const toolsQuery = queryOptions({
  queryKey: ['tools'],
  queryFn: ({ signal }) => apiAll<Tool>('/tools', {}, signal),
});

export const mcpServersQuery = queryOptions({
  queryKey: ['mcp-servers'],
  queryFn: ({ signal }) => apiAll<McpServer>('/mcp-servers', {}, signal),
});

export const reloadTools = () =>
  Promise.all([refresh(toolsQuery.queryKey), refresh(mcpServersQuery.queryKey)]);
