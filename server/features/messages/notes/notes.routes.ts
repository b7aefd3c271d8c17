/** What operators write into a chat: replies to the customer and internal notes. */
import type { Static } from 'typebox';
import {
  AgentMessageBody,
  Note,
  NoteUpdate,
  type OperatorReply,
} from '../../../../contract/messaging/messages.ts';
import type { ScheduledReply } from '../../../../contract/messaging/scheduled.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import { requireMay } from '../../accounts/accounts.ts';
import { prepareFiles } from '../../attachments/attachments.ts';
import { countingDrops } from '../messages.intake.ts';
import { sendOperatorReply } from '../messages.reply.ts';
import { requireSendAt, scheduleMessage } from '../outgoing/messages.scheduled.ts';
import { changeNote, createNote, removeNote } from './notes.ts';

const tags = ['Operator replies and notes'];
const change = { access: { scope: 'notes:write', permission: 'notes.write' } } as const;
const ofSession = Type.Object({ channelId: Type.String(), sessionId: Type.String() });
const ofNote = Type.Object({ ...ofSession.properties, messageId: Type.String() });

export function notesRoutes(app: App, context: Context): void {
  const { clock, write, definitions, accountConfig, visibleTo } = context;

  app.post(
    '/channels/:channelId/sessions/:sessionId/agent-messages',
    {
      // The required scope depends on the body: a note or a reply.
      config: {
        access: {
          scope: 'messages:write',
          orScope: 'notes:write',
          permission: 'conversations.reply',
          orPermission: 'notes.write',
        },
      },
      schema: {
        tags,
        summary: 'Reply to the customer, or write a note (isNote)',
        description:
          'With `sendAt` the reply is sent later: the response is `{ sessionId, scheduledMessage }`. After personWindowClosesAt of the session, a reply that is sent at once is a 409 WINDOW_CLOSED.',
        params: ofSession,
        body: AgentMessageBody,
        response: {
          201: Type.Unsafe<Static<typeof OperatorReply> | ScheduledReply | Static<typeof Note>>({}),
        },
      },
    },
    async (request, reply) => {
      const { actor, body, params } = request;
      requireMay(actor, body.isNote ? 'notes.write' : 'conversations.reply');
      for (const name of ['pauseAi', 'replyToMessageId', 'sendAt', 'cancelOnReply', 'mail'] as const) {
        if (body.isNote && body[name]) throw badRequest(`${name} is only supported on replies, not on notes`);
      }
      requireSendAt(body);
      const visible = await visibleTo(actor);
      await prepareFiles(context, actor.accountId, body.attachments);
      if (body.isNote) {
        const current = await definitions.fresh(actor.accountId);
        return write(request, reply, async (tx) => {
          const noting = { actor, now: clock.now(), visible, definitions: current };
          return { status: 201, body: await createNote(tx, noting, params, body) };
        });
      }
      const { directory } = await accountConfig.fresh(actor.accountId);
      return countingDrops(context, actor.accountId, () =>
        write<Static<typeof OperatorReply> | ScheduledReply>(request, reply, async (tx) => {
          const replying = { actor, now: clock.now(), visible, directory };
          const { sendAt } = body;
          if (sendAt !== undefined) {
            const scheduledMessage = await scheduleMessage(tx, replying, params, { ...body, sendAt });
            return { status: 201, body: { sessionId: params.sessionId, scheduledMessage } };
          }
          const message = await sendOperatorReply(tx, replying, params, body);
          const { id, role, content, timestamp, attachments = [], clientId = null } = message;
          const answer = {
            sessionId: params.sessionId,
            message: { id, role, content, timestamp, attachments, clientId },
          };
          return { status: 201, body: answer };
        }),
      );
    },
  );

  app.patch(
    '/channels/:channelId/sessions/:sessionId/notes/:messageId',
    {
      config: change,
      schema: { tags, summary: 'Change a note', params: ofNote, body: NoteUpdate, response: { 200: Note } },
    },
    async (request, reply) => {
      const { actor, body, params } = request;
      const visible = await visibleTo(actor);
      const current = await definitions.fresh(actor.accountId);
      return write(request, reply, async (tx) => {
        const { messageId, ...place } = params;
        const noting = { actor, now: clock.now(), visible, definitions: current };
        const note = await changeNote(tx, noting, place, messageId, body);
        return { status: 200, body: note };
      });
    },
  );

  app.delete(
    '/channels/:channelId/sessions/:sessionId/notes/:messageId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Delete a note',
        params: ofNote,
        response: { 200: Type.Object({ messageId: Type.String(), message: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => {
        const { messageId, ...place } = params;
        await removeNote(tx, { actor, now: clock.now(), visible }, place, messageId);
        return { status: 200, body: { messageId, message: 'note deleted' } };
      });
    },
  );
}
