import {
  LinkBody,
  Message,
  MessageAccepted,
  MessageReactionBody,
  MessageSend,
  MessagesPage,
  MessagesQuery,
  ReactionBody,
  ReceiptAnswer,
  StatusBody,
} from '../../../contract/messaging/messages.ts';
import { Session, TransferBody } from '../../../contract/messaging/sessions.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { answered } from '../../platform/http/write.ts';
import { may } from '../accounts/accounts.ts';
import { lockSession, requireSession } from '../sessions/sessions.ts';
import { countingDrops } from './messages.intake.ts';
import { releaseMessage } from './messages.reply.ts';
import type { Sent } from './messages.send.ts';
import { transferSession } from './messages.transfer.ts';
import { listMessages, toMessages } from './messages.ts';
import { linkMessage, react, reactToMessage, setStatus } from './receipts/messages.receipts.ts';

const tags = ['Messages'];
const read = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
const change = { access: { scope: 'messages:write', permission: 'conversations.reply' } } as const;
const ofSession = Type.Object({ sessionId: Type.String() });
const ofMessage = Type.Object({ sessionId: Type.String(), messageId: Type.String() });

export function messagesRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, accountConfig, intake, visibleTo } = context;

  app.post(
    '/messages',
    {
      config: change,
      schema: {
        tags,
        summary: 'Send a message into a conversation; the AI replies by webhook',
        body: MessageSend,
        response: { 200: MessageAccepted, 202: MessageAccepted },
      },
    },
    (request, reply) => {
      const { actor, body } = request;
      const answer = ({ accepted }: Sent) => ({ status: body.isEcho ? 200 : 202, body: accepted });
      return intake.sendIn(actor, body, {}, (send) => write(request, reply, answered(send, answer)));
    },
  );

  app.get(
    '/sessions/:sessionId/messages',
    {
      config: read,
      schema: {
        tags,
        summary: 'The messages of a conversation',
        params: ofSession,
        querystring: MessagesQuery,
        response: { 200: MessagesPage },
      },
    },
    async (request) => {
      const { actor, query } = request;
      const { sessionId } = await requireSession(db, actor, await visibleTo(actor), request.params.sessionId);
      return listMessages(db, actor.accountId, pageTokens, sessionId, query, may(actor, 'knowledge.view'));
    },
  );

  app.post(
    '/sessions/:sessionId/transfer',
    {
      config: change,
      schema: {
        tags,
        summary: 'Transfer a conversation to another agent or board',
        params: ofSession,
        body: TransferBody,
        response: { 200: Session },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => {
        await lockSession(tx, actor.accountId, params.sessionId);
        await accountConfig.withAccountConfig(tx, actor.accountId, (config) =>
          transferSession(tx, { ...config, actor, now: clock.now() }, visible, params.sessionId, body),
        );
        return { status: 200, body: await requireSession(tx, actor, null, params.sessionId) };
      });
    },
  );

  receiptRoutes(app, context);
  heldRoutes(app, context);
}

function receiptRoutes(app: App, { clock, write, visibleTo, accountConfig }: Context): void {
  app.post(
    '/sessions/:sessionId/messages/:messageId/link',
    {
      config: change,
      schema: {
        tags,
        summary: 'Link a message to its id at the provider',
        params: ofMessage,
        body: LinkBody,
        response: { 200: ReceiptAnswer },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { directory } = await accountConfig.fresh(request.actor.accountId);
      const { sessionId, messageId } = request.params;
      return write(request, reply, async (tx) => {
        const receipt = { actor: request.actor, now: clock.now(), visible, directory };
        return { status: 200, body: await linkMessage(tx, receipt, sessionId, messageId, request.body) };
      });
    },
  );

  app.post(
    '/sessions/:sessionId/messages/status',
    {
      config: change,
      schema: {
        tags,
        summary: 'Report the delivery status of a message',
        params: ofSession,
        body: StatusBody,
        response: { 200: ReceiptAnswer, 202: ReceiptAnswer },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { directory } = await accountConfig.fresh(request.actor.accountId);
      return write(request, reply, async (tx) => {
        const receipt = { actor: request.actor, now: clock.now(), visible, directory };
        const { early, answer } = await setStatus(tx, receipt, request.params.sessionId, request.body);
        return { status: early ? 202 : 200, body: answer };
      });
    },
  );

  app.post(
    '/sessions/:sessionId/messages/reactions',
    {
      config: change,
      schema: {
        tags,
        summary: 'Report a reaction to a message',
        params: ofSession,
        body: ReactionBody,
        response: { 200: ReceiptAnswer, 202: ReceiptAnswer },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { directory } = await accountConfig.fresh(request.actor.accountId);
      return write(request, reply, async (tx) => {
        const receipt = { actor: request.actor, now: clock.now(), visible, directory };
        const { early, answer } = await react(tx, receipt, request.params.sessionId, request.body);
        return { status: early ? 202 : 200, body: answer };
      });
    },
  );

  app.post(
    '/sessions/:sessionId/messages/:messageId/reactions',
    {
      config: change,
      schema: {
        tags,
        summary: 'React to a message as an operator, by its own id',
        params: ofMessage,
        body: MessageReactionBody,
        response: { 200: ReceiptAnswer },
      },
    },
    async (request, reply) => {
      const { actor, body, params } = request;
      const visible = await visibleTo(actor);
      const { directory } = await accountConfig.fresh(actor.accountId);
      return write(request, reply, async (tx) => {
        const receipt = { actor, now: clock.now(), visible, directory };
        const answer = await reactToMessage(tx, receipt, params.sessionId, params.messageId, body);
        return { status: 200, body: answer };
      });
    },
  );
}

function heldRoutes(app: App, context: Context): void {
  const { clock, write, accountConfig, visibleTo } = context;

  app.post(
    '/sessions/:sessionId/messages/:messageId/release',
    {
      config: change,
      schema: { tags, summary: 'Send a held reply', params: ofMessage, response: { 200: Message } },
    },
    async (request, reply) => {
      const { actor, params } = request;
      const visible = await visibleTo(actor);
      const { directory } = await accountConfig.fresh(actor.accountId);
      return countingDrops(context, actor.accountId, () =>
        write(request, reply, async (tx) => {
          const releasing = { actor, now: clock.now(), visible, directory };
          const message = await releaseMessage(tx, releasing, params.sessionId, params.messageId);
          const seesInternal = may(actor, 'knowledge.view');
          const [body] = await toMessages(tx, actor.accountId, [message], seesInternal);
          return { status: 200, body: body! };
        }),
      );
    },
  );
}
