import { KnowledgeGap } from '../../../contract/knowledge-gaps.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { unavailable } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { draftArticle, findGapAnswer, readableBy, type WrittenArticle } from '../knowledge/knowledge.ts';
import { findSession } from '../sessions/sessions.ts';
import { writeArticle } from './ai-replies.articles.ts';
import { readKey } from './ai-replies.build.ts';
import { ModelError } from './ai-replies.conversation.ts';

/** Every text may cost money at a provider. */
const textsPerMinute = 30;

export function articlesRoutes(app: App, context: Context): void {
  const { clock, write, visibleTo } = context;
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort(unavailable('the service is stopping'));
    done();
  });

  app.post(
    '/knowledge/gaps/:id/draft',
    {
      config: { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } },
      schema: {
        tags: ['Knowledge'],
        summary: 'Draft an article from a gap',
        description:
          'From the question and what a person answered in the newest of its conversations where one did. The model of the agent of that conversation writes it; without one, or if it fails, the question is the title and the answer the text. A gap that has a draft: 409.',
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
        body: await draftArticle(tx, actor, clock.now(), visible, params.id, written),
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
