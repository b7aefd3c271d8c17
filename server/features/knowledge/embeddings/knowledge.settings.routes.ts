import { KnowledgeSettings, KnowledgeSettingsUpdate } from '../../../../contract/knowledge-settings.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { changeSettings, checkEmbeddingUrl, readSettings } from './knowledge.embeddings.ts';

const tags = ['Knowledge'];

export function knowledgeSettingsRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, config } = context;

  app.get(
    '/knowledge/settings',
    {
      config: { access: { scope: 'knowledge:read', permission: 'knowledge.view' } },
      schema: {
        tags,
        summary: 'The settings of search by meaning',
        response: { 200: KnowledgeSettings },
      },
    },
    ({ actor }) => readSettings(db, actor.accountId),
  );

  app.patch(
    '/knowledge/settings',
    {
      config: { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } },
      schema: {
        tags,
        summary: 'Change search by meaning',
        description:
          'The provider gets the text of every passage, and every question that is searched. Another `baseUrl` or `model` makes all vectors anew.',
        body: KnowledgeSettingsUpdate,
        response: { 200: KnowledgeSettings },
      },
    },
    async (request, reply) => {
      await checkEmbeddingUrl(request.body, config.outboundAllow);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeSettings(tx, secrets, request.actor, clock.now(), request.body),
      }));
    },
  );
}
