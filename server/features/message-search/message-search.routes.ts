import { MessageSearchAnswer, MessageSearchQuery } from '../../../contract/messaging/message-search.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';

export function messageSearchRoutes(app: App, { messageSearch, visibleTo }: Context): void {
  app.get(
    '/messages/search',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags: ['Messages'],
        summary: 'Find messages and notes by text, tolerating typos',
        description:
          'Fewer typos first, then matches at the beginning of a word, then the newest. The total is exact. A message is found as soon as its send was answered.',
        querystring: MessageSearchQuery,
        response: { 200: MessageSearchAnswer },
      },
    },
    async ({ actor, query }) => messageSearch.search(actor, await visibleTo(actor), query),
  );
}
