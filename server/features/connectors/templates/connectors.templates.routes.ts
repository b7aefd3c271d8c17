/** Templates of a channel, and sending one. */
import type { Static } from 'typebox';
import { limits } from '../../../../contract/limits.ts';
import type { OperatorReply } from '../../../../contract/messaging/messages.ts';
import type { ScheduledReply } from '../../../../contract/messaging/scheduled.ts';
import { TemplateSend, TemplatesPage } from '../../../../contract/messaging/templates.ts';
import { pageQuery } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import { notFound } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import { countingDrops, requireSendAt, scheduleMessage, sendOperatorReply } from '../../messages/messages.ts';
import { requireSession } from '../../sessions/sessions.ts';
import { fillTemplate, prepareTemplate } from './connectors.templates.fill.ts';
import { listTemplates } from './connectors.templates.ts';

export function templatesRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, accountConfig, visibleTo, providers } = context;

  app.get(
    '/channels/:id/templates',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags: ['Connectors'],
        summary: 'The templates of a channel',
        description:
          'By name and language, in every status. Empty on channels without a connector, and on kinds without templates. While the provider cannot be reached: as they were last.',
        params: Type.Object({ id: Type.String() }),
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: TemplatesPage },
      },
    },
    async (request) => {
      const { actor, params, query } = request;
      const { directory } = await accountConfig.fresh(actor.accountId);
      if (!directory.channels.has(params.id)) throw notFound('channel');
      return listTemplates(context, actor.accountId, pageTokens, params.id, query);
    },
  );

  app.post(
    '/sessions/:sessionId/template',
    {
      config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
      schema: {
        tags: ['Operator replies and notes'],
        summary: 'Send a template to the customer',
        description:
          'As an operator’s reply, also after windowClosesAt. Its content is the text with the parameters filled in. 400, and nothing is sent, for a template that does not exist, is not approved or cannot be sent from here, for another number of parameters, and for values that the provider rejects. With `sendAt` it is sent later: the response is `{ sessionId, scheduledMessage }`.',
        params: Type.Object({ sessionId: Type.String() }),
        body: TemplateSend,
        response: { 201: Type.Unsafe<Static<typeof OperatorReply> | ScheduledReply>({}) },
      },
    },
    async (request, reply) => {
      const { actor, body, params } = request;
      const { accountId } = actor;
      requireSendAt(body);
      const visible = await visibleTo(actor);
      const { directory } = await accountConfig.fresh(accountId);
      const { name, language, parameters = [], pauseAi, sendAt, cancelOnReply } = body;
      const template = { name, language, parameters };
      const session = await requireSession(db, actor, visible, params.sessionId).catch(() => null);
      if (session) await prepareTemplate(context, accountId, session.channelId, template);
      return countingDrops(context, accountId, () =>
        write<Static<typeof OperatorReply> | ScheduledReply>(request, reply, async (tx) => {
          const { sessionId, channelId } = await requireSession(tx, actor, visible, params.sessionId);
          const content = await fillTemplate(tx, accountId, providers, channelId, template);
          const replying = { actor, now: clock.now(), visible, directory };
          const input = { content, pauseAi };
          const place = { channelId, sessionId };
          if (sendAt !== undefined) {
            const later = { ...input, sendAt, cancelOnReply };
            const scheduledMessage = await scheduleMessage(tx, replying, place, later, template);
            return { status: 201, body: { sessionId, scheduledMessage } };
          }
          const message = await sendOperatorReply(tx, replying, place, input, template);
          const { id, role, timestamp, attachments = [], clientId = null } = message;
          return {
            status: 201,
            body: { sessionId, message: { id, role, content, timestamp, attachments, clientId } },
          };
        }),
      );
    },
  );
}
