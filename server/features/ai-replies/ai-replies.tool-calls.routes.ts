import { limits } from '../../../contract/limits.ts';
import { pageOf, pageQuery, pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { ToolCallEntry } from '../../../contract/tool-calls.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { cutPage } from '../../platform/http/page-token.ts';
import { selectToolCalls } from '../pending-replies/pending-replies.ts';
import { requireSession } from '../sessions/sessions.ts';
import { decideCall, toEntry } from './ai-replies.tool-calls.ts';

export function toolCallsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, visibleTo } = context;
  const tags = ['Sessions'];
  const params = Type.Object({ sessionId: Type.String(), callId: Type.String() });

  app.get(
    '/sessions/:sessionId/tool-calls',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: "The agent's calls of tools that change something, newest first",
        params: Type.Object({ sessionId: Type.String() }),
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(ToolCallEntry) },
      },
    },
    async ({ actor, params: place, query }) => {
      const { sessionId } = await requireSession(db, actor, await visibleTo(actor), place.sessionId);
      const size = pageSize(query.limit, limits.listPage);
      const scope = ['tool-calls', actor.accountId, sessionId];
      const before =
        query.nextToken === undefined ? null : String(pageTokens.read(query.nextToken, scope)[0]);
      const rows = await selectToolCalls(db, actor.accountId, sessionId, before, size + 1);
      const now = clock.now();
      const { items, nextToken } = cutPage(rows, size, ({ id }) => pageTokens.issue([id], scope));
      return { items: items.map((one) => toEntry(one, now)), nextToken };
    },
  );

  for (const [verb, decision, summary] of [
    ['approve', 'approved', 'Approve a call: it is made once, then the agent writes a follow-up'],
    ['reject', 'rejected', 'Reject a call'],
  ] as const) {
    app.post(
      `/sessions/:sessionId/tool-calls/:callId/${verb}`,
      {
        config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
        schema: {
          tags,
          summary,
          description: 'A call that is not `waiting` is a 409.',
          params,
          response: { 200: ToolCallEntry },
        },
      },
      async (request, reply) => {
        const { actor, params: place } = request;
        const visible = await visibleTo(actor);
        return write(request, reply, async (tx) => ({
          status: 200,
          body: await decideCall(tx, actor, clock.now(), visible, place, decision),
        }));
      },
    );
  }
}
