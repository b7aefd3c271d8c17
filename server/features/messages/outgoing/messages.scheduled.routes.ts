import { limits } from '../../../../contract/limits.ts';
import {
  ScheduledMessage,
  ScheduledMessagesPage,
  ScheduledMessageUpdate,
} from '../../../../contract/messaging/scheduled.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { pageQuery } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { requireSession } from '../../sessions/sessions.ts';
import { cancelScheduled, changeScheduled, listScheduled } from './messages.scheduled.ts';

const tags = ['Operator replies and notes'];
const change = { access: { scope: 'messages:write', permission: 'conversations.reply' } } as const;
const ofSession = Type.Object({ sessionId: Type.String() });
const ofScheduled = Type.Object({ sessionId: Type.String(), id: Type.String() });

export function scheduledRoutes(app: App, { db, clock, write, pageTokens, visibleTo }: Context): void {
  app.get(
    '/sessions/:sessionId/scheduled-messages',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: 'The messages that are to be sent later',
        description: 'The next one first. One that was sent or cancelled is no longer listed.',
        params: ofSession,
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: ScheduledMessagesPage },
      },
    },
    async (request) => {
      const { actor, query, params } = request;
      const { sessionId } = await requireSession(db, actor, await visibleTo(actor), params.sessionId);
      return listScheduled(db, actor.accountId, pageTokens, sessionId, query);
    },
  );

  app.patch(
    '/sessions/:sessionId/scheduled-messages/:id',
    {
      config: change,
      schema: {
        tags,
        summary: 'Change a scheduled message',
        params: ofScheduled,
        body: ScheduledMessageUpdate,
        response: { 200: ScheduledMessage },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => {
        const changing = { actor, now: clock.now(), visible };
        return { status: 200, body: await changeScheduled(tx, changing, params, body) };
      });
    },
  );

  app.delete(
    '/sessions/:sessionId/scheduled-messages/:id',
    {
      config: change,
      schema: { tags, summary: 'Cancel a scheduled message', params: ofScheduled, response: { 200: Done } },
    },
    async (request, reply) => {
      const { actor, params } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => {
        await cancelScheduled(tx, { actor, now: clock.now(), visible }, params);
        return { status: 200, body: { message: 'scheduled message cancelled' } };
      });
    },
  );
}
