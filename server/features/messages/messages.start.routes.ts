import { ConversationStart, ConversationStarted } from '../../../contract/messaging/messages.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { prepareFiles } from '../attachments/attachments.ts';
import { lockSession } from '../sessions/sessions.ts';
import { countingDrops } from './messages.intake.ts';
import { checkStart, chooseSession, startConversation } from './messages.start.ts';

export function startRoutes(app: App, context: Context): void {
  const { clock, write, accountConfig, visibleTo, blockHash } = context;

  app.post(
    '/channels/:channelId/sessions',
    {
      config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
      schema: {
        tags: ['Operator replies and notes'],
        summary: 'Start a conversation with a customer, or continue the one they have on this channel',
        params: Type.Object({ channelId: Type.String() }),
        body: ConversationStart,
        response: { 201: ConversationStarted },
      },
    },
    async (request, reply) => {
      const { actor, body, params } = request;
      const { channelId } = params;
      checkStart(body);
      const visible = await visibleTo(actor);
      await prepareFiles(context, actor.accountId, body.attachments);
      return countingDrops(context, actor.accountId, () =>
        write(request, reply, async (tx) => {
          const now = clock.now();
          const sessionId = await chooseSession(tx, { actor, now, visible }, channelId, body);
          await lockSession(tx, actor.accountId, sessionId);
          const started = await accountConfig.withAccountConfig(tx, actor.accountId, (config) =>
            startConversation(tx, { ...config, actor, now, blockHash }, { channelId, sessionId }, body),
          );
          const { id, role, content, timestamp, attachments = [], clientId = null } = started.message;
          return {
            status: 201,
            body: { ...started, message: { id, role, content, timestamp, attachments, clientId } },
          };
        }),
      );
    },
  );
}
