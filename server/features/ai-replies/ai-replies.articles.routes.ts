import { KnowledgeGap, KnowledgeGapsQuery } from '../../../contract/knowledge-gaps.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { unavailable } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import {
  draftArticle,
  findGapAnswer,
  listGaps,
  readableBy,
  type WrittenArticle,
} from '../knowledge/knowledge.ts';
import { findSession } from '../sessions/sessions.ts';
import { writeArticle } from './ai-replies.articles.ts';
import { readKey } from './ai-replies.build.ts';
import { ModelError } from './ai-replies.conversation.ts';
import { markAnswered } from './knowledge/ai-replies.answered-gaps.ts';
import { neutralTexts } from './knowledge/ai-replies.person.sql.ts';

/** Every text may cost money at a provider. */
const textsPerMinute = 30;

export function articlesRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, visibleTo } = context;
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort(unavailable('the service is stopping'));
    done();
  });

  app.get(
    '/knowledge/gaps',
    {
      config: { access: { scope: 'knowledge:read', permission: 'knowledge.view' } },
      schema: {
        tags: ['Knowledge'],
        summary: 'Questions that agents could not answer, the last asked ones first',
        description: 'Only conversations that the caller may read count and are named.',
        querystring: KnowledgeGapsQuery,
        response: { 200: pageOf(KnowledgeGap) },
      },
    },
    async ({ actor: { accountId }, actor, query }) => {
      const page = await listGaps(db, pageTokens, accountId, await readableBy(visibleTo, actor), query);
      return { ...page, items: await markAnswered(context, accountId, page.items) };
    },
  );

  app.post(
    '/knowledge/gaps/:id/draft',
    {
      config: { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } },
      schema: {
        tags: ['Knowledge'],
        summary: 'Draft an article from a gap',
        description:
          'From the question and what a person answered in the newest of its conversations where one did. The model of the agent of that conversation writes it; without one, or if it fails, the question is the title and the answer the text, with neutral words instead of the names, addresses and numbers of the customer. A gap that has a draft: 409.',
        params: Type.Object({ id: Type.String() }),
        response: { 200: KnowledgeGap },
      },
    },
    async (request, reply) => {
      const { actor, params } = request;
      const visible = await readableBy(visibleTo, actor);
      const written = await writtenByModel(context, actor.accountId, visible, params.id, stopping.signal);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await draftArticle(tx, actor, clock.now(), visible, params.id, written, neutralTexts),
      }));
    },
  );
}

/** Null: nobody has answered, or there is no model that can be asked. */
async function writtenByModel(
  { db, secrets, safeFetch, accountConfig, rateLimits }: Context,
  accountId: string,
  visible: string[] | null,
  id: string,
  signal: AbortSignal,
): Promise<WrittenArticle | null> {
  const found = await findGapAnswer(db, accountId, visible, id);
  const session = found && (await findSession(db, accountId, found.sessionId));
  if (!found || !session?.agentId) return null;
  const { directory } = await accountConfig.fresh(accountId);
  const agent = directory.agents.get(session.agentId);
  if (!agent || agent.provider === 'offline') return null;
  const { admitted } = await rateLimits.admit(accountId, 'article-drafts', [
    { limit: textsPerMinute, seconds: 60 },
  ]);
  if (!admitted) return null;
  try {
    const settings = { ...agent, apiKey: readKey(secrets, agent) };
    return await writeArticle(settings, found, { fetch: safeFetch.fetch, signal });
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}
