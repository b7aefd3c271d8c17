import {
  SessionChangeEntry,
  SessionChangesQuery,
  SessionsBulk,
  SessionsBulkAnswer,
} from '../../../contract/messaging/lifecycle.ts';
import {
  AiPausedAnswer,
  AiPausedBody,
  Session,
  SessionCounts,
  SessionsQuery,
  SessionUpdate,
} from '../../../contract/messaging/sessions.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changeSessions, listSessionChanges } from './sessions.bulk.ts';
import { countSessions } from './sessions.owner.ts';
import { changeSession, listSessions, requireSession, setAiPaused } from './sessions.ts';

export function sessionsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, visibleTo, signals } = context;
  const tags = ['Sessions'];
  const read = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
  const change = { access: { scope: 'messages:write', permission: 'conversations.reply' } } as const;
  const params = Type.Object({ sessionId: Type.String() });

  app.get(
    '/sessions',
    {
      config: read,
      schema: {
        tags,
        summary: 'List conversations, latest activity first',
        description:
          'With `filter` a page may have fewer conversations than `limit`, and none, and still a `nextToken`.',
        querystring: SessionsQuery,
        response: { 200: pageOf(Session) },
      },
    },
    async (request) => listSessions(context, request.actor, await visibleTo(request.actor), request.query),
  );

  app.get(
    '/sessions/counts',
    {
      config: read,
      schema: {
        tags,
        summary: 'Count open conversations: all, yours, without an owner, and by team',
        response: { 200: SessionCounts },
      },
    },
    async (request) => countSessions(db, request.actor, await visibleTo(request.actor)),
  );

  app.get(
    '/sessions/:sessionId',
    { config: read, schema: { tags, summary: 'One conversation', params, response: { 200: Session } } },
    async (request) =>
      requireSession(db, request.actor, await visibleTo(request.actor), request.params.sessionId),
  );

  app.patch(
    '/sessions/:sessionId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Rename a conversation, or change its marks, status, owner or team',
        params,
        body: SessionUpdate,
        response: { 200: Session },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { sessionId } = request.params;
      const { actor, body } = request;
      return write(request, reply, async (tx) => {
        const session = await changeSession(tx, actor, clock.now(), visible, sessionId, body);
        if (body.unread === 0) tx.afterCommit(() => signals.opened(actor.accountId, sessionId));
        return { status: 200, body: session };
      });
    },
  );

  app.post(
    '/sessions/bulk',
    {
      config: change,
      schema: {
        tags,
        summary: 'Change many conversations at once',
        description:
          'Each result carries the previous values. To undo, send them as `change`, and the values of `session` as `expected`.',
        body: SessionsBulk,
        response: { 200: SessionsBulkAnswer },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: { results: await changeSessions(tx, request.actor, clock.now(), visible, request.body) },
      }));
    },
  );

  app.get(
    '/sessions/:sessionId/changes',
    {
      config: read,
      schema: {
        tags,
        summary: 'Who changed the status or the owner of a conversation, newest first',
        params,
        querystring: SessionChangesQuery,
        response: { 200: pageOf(SessionChangeEntry) },
      },
    },
    async (request) =>
      listSessionChanges(
        db,
        request.actor,
        await visibleTo(request.actor),
        pageTokens,
        request.params.sessionId,
        request.query,
      ),
  );

  app.patch(
    '/sessions/:sessionId/ai-paused',
    {
      config: change,
      schema: {
        tags,
        summary: 'Pause or resume the AI of a conversation',
        params,
        body: AiPausedBody,
        response: { 200: AiPausedAnswer },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { sessionId } = request.params;
      const { aiPaused } = request.body;
      return write(request, reply, async (tx) => {
        const { changed } = await setAiPaused(tx, request.actor, clock.now(), visible, sessionId, aiPaused);
        const state = aiPaused ? 'paused' : 'resumed';
        const message = changed ? `AI ${state}` : `AI was ${state} already`;
        return { status: 200, body: { sessionId, aiPaused, message } };
      });
    },
  );
}
