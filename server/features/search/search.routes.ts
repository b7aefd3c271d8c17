import {
  AggregationsAnswer,
  SearchAnswer,
  SearchQuery,
  SuggestAnswer,
  SuggestQuery,
} from '../../../contract/crm/search.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { type App, sendJson } from '../../platform/http/http.ts';

export function searchRoutes(app: App, { search }: Context): void {
  const tags = ['Search'];
  const config = { access: { scope: 'crm:read', permission: 'records.view' } } as const;

  app.get(
    '/crm/search',
    {
      config,
      schema: {
        tags,
        summary: 'Find records by text, tolerating typos, or by the exact value of a field',
        description:
          'Fewer typos first, then matches at the beginning of a word, then what was changed last. The total is exact.',
        querystring: SearchQuery,
        response: { 200: SearchAnswer },
      },
    },
    async (request, reply) => sendJson(reply, await search.search(request.actor, request.query)),
  );

  app.get(
    '/crm/search/aggregations',
    {
      config,
      schema: {
        tags,
        summary: 'How many records have each status',
        querystring: Type.Object({ kanbanId: Type.Optional(Type.String()) }),
        response: { 200: AggregationsAnswer },
      },
    },
    async (request) => ({ status: await search.countStatuses(request.actor, request.query.kanbanId) }),
  );

  app.get(
    '/crm/search/suggest',
    {
      config,
      schema: {
        tags,
        summary: 'Complete what is being typed',
        description: 'Whole values that match, each once, those with a word that begins with it first.',
        querystring: SuggestQuery,
        response: { 200: SuggestAnswer },
      },
    },
    async (request) => ({ suggestions: await search.suggest(request.actor, request.query) }),
  );
}
