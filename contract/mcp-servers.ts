/** MCP servers: their tools become tools of the account. */
import type { Static } from 'typebox';
import { hiddenHeader } from './knowledge.ts';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';

const Headers = Type.Record(Type.String(), Type.String(), {
  description: `Sent to the server with every request. Responses show \`${hiddenHeader}\` instead of values.`,
});

export const McpServer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  headers: Headers,
  tools: Type.Integer({ description: 'How many tools the service has of it; GET /tools lists them.' }),
  refreshedAt: Type.Number({ description: 'When its tools were last read.' }),
  createdAt: Type.Number(),
});
export type McpServer = Static<typeof McpServer>;

export const McpServerCreate = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 40,
    description:
      'Unique in the account. In lower case, and with _ for what is no letter or digit, its tools begin with it.',
  }),
  url: Type.String({ minLength: 1, maxLength: limits.tools.urlLength }),
  headers: Type.Optional(Headers),
});
export type McpServerCreate = Static<typeof McpServerCreate>;
