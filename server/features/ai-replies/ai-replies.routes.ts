import { AgentTry, AgentTryAnswer } from '../../../contract/channels.ts';
import { limits } from '../../../contract/limits.ts';
import { LoggedRepliesQuery, LoggedReply } from '../../../contract/messaging/messages.ts';
import { pageOf, pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { rateLimited, unavailable } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { cutPage } from '../../platform/http/page-token.ts';
import { may } from '../accounts/accounts.ts';
import { citationsShown, withCurrentAudience } from '../knowledge/knowledge.ts';
import { selectReplyLog } from '../pending-replies/pending-replies.ts';
import { requireSession } from '../sessions/sessions.ts';
import { requireTriedAgent, tryAgent } from './ai-replies.try.ts';

/** Every try may cost money at a provider. */
const triesPerMinute = 30;

export function aiRepliesRoutes(app: App, context: Context): void {
  const { db, pageTokens, visibleTo, rateLimits } = context;
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort(unavailable('the service is stopping'));
    done();
  });

  app.post(
    '/agents/:id/try',
    {
      config: { access: { scope: 'manage', permission: 'agents.manage' } },
      schema: {
        tags: ['Agents'],
        summary: 'Try an agent without a conversation: nothing is stored, no record is read or changed',
        params: Type.Object({ id: Type.String() }),
        body: AgentTry,
        response: { 200: AgentTryAnswer },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const { accountId } = actor;
      const agent = await requireTriedAgent(context, accountId, params.id, body.version);
      const windows = [{ limit: triesPerMinute, seconds: 60 }];
      const verdict = await rateLimits.admit(accountId, 'agent-try', windows);
      if (!verdict.admitted) throw rateLimited(429, verdict.retryAfterSeconds);
      // A model may take long; a disconnected client need not be waited for.
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return tryAgent(context, accountId, agent, body, {
        signal: AbortSignal.any([gone.signal, stopping.signal]),
        seesInternal: may(actor, 'knowledge.view'),
      });
    },
  );

  app.get(
    '/sessions/:sessionId/replies',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags: ['Sessions'],
        summary:
          'The outcome of every message that asked for an AI reply, and what the reply was made of, newest first',
        params: Type.Object({ sessionId: Type.String() }),
        querystring: LoggedRepliesQuery,
        response: { 200: pageOf(LoggedReply) },
      },
    },
    async (request) => {
      const { actor, query } = request;
      const { sessionId } = await requireSession(db, actor, await visibleTo(actor), request.params.sessionId);
      const size = pageSize(query.limit, limits.listPage);
      const scope = ['replies', actor.accountId, sessionId, query.replyId];
      const before =
        query.nextToken === undefined ? null : String(pageTokens.read(query.nextToken, scope)[0]);
      const rows = await selectReplyLog(db, actor.accountId, sessionId, {
        before,
        replyId: query.replyId ?? null,
        limit: size + 1,
      });
      const seesInternal = may(actor, 'knowledge.view');
      const lists = rows.flatMap(({ retrieved, citations }) => [{ citations: retrieved }, { citations }]);
      const current = seesInternal ? lists : await withCurrentAudience(db, lists, () => actor.accountId);
      const shown = current.map(({ citations }) => citationsShown(citations, seesInternal));
      const replies = rows.map((row, index) => ({
        ...row,
        retrieved: shown[2 * index]!,
        citations: shown[2 * index + 1]!,
      }));
      return cutPage(replies, size, (last) => pageTokens.issue([last.id], scope));
    },
  );
}
