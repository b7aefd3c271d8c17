import { KnowledgeGap } from '../../../../contract/knowledge-gaps.ts';
import { KnowledgeUsage } from '../../../../contract/knowledge-usage.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { dismissGap, readableBy, readUsage } from '../knowledge.ts';

const tags = ['Knowledge'];
const view = { access: { scope: 'knowledge:read', permission: 'knowledge.view' } } as const;
const manage = { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } } as const;
const params = Type.Object({ id: Type.String() });

export function gapsRoutes(app: App, { db, clock, write, visibleTo }: Context): void {
  app.get(
    '/knowledge/documents/:id/usage',
    {
      config: view,
      schema: {
        tags,
        summary:
          'How often a document was given to agents, cited and found helpful, and in which conversations',
        description: 'Only conversations that the caller may read count and are named.',
        params,
        response: { 200: KnowledgeUsage },
      },
    },
    async ({ actor, params: { id } }) =>
      readUsage(db, actor.accountId, await readableBy(visibleTo, actor), id),
  );

  app.post(
    '/knowledge/gaps/:id/dismiss',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Dismiss a gap',
        description: 'The same questions begin a new one. A gap that has a draft: 409.',
        params,
        response: { 200: KnowledgeGap },
      },
    },
    async (request, reply) => {
      const { actor } = request;
      const visible = await readableBy(visibleTo, actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await dismissGap(tx, actor, clock.now(), visible, request.params.id),
      }));
    },
  );
}
