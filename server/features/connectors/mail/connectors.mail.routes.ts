import { ForwardBody, Forwarded, MailContent } from '../../../../contract/messaging/mail.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { forwardMessage } from './connectors.forward.ts';
import { openOriginal, readMail } from './connectors.mail.ts';

const tags = ['Messages'];
const read = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
const params = Type.Object({ sessionId: Type.String(), messageId: Type.String() });

export function mailRoutes(app: App, context: Context): void {
  const { clock, write, accountConfig, definitions, visibleTo } = context;

  app.get(
    '/sessions/:sessionId/messages/:messageId/mail',
    {
      config: read,
      schema: {
        tags,
        summary: 'The e-mail of a message: its headers, its HTML as it came, its quoted history',
        params,
        response: { 200: MailContent },
      },
    },
    async ({ actor, params: place }) => readMail(context, actor, await visibleTo(actor), place),
  );

  app.get(
    '/sessions/:sessionId/messages/:messageId/mail/original',
    {
      config: read,
      schema: {
        tags,
        summary: 'The raw e-mail of a message, as a file',
        params,
        response: {
          200: {
            description: 'The message as it came (RFC 5322)',
            content: {
              'message/rfc822': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) },
            },
          },
        },
      },
    },
    async ({ actor, params: place, method }, reply) => {
      const stream = await openOriginal(context, actor, await visibleTo(actor), place);
      reply
        .type('message/rfc822')
        .header('content-disposition', 'attachment; filename="message.eml"')
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox");
      if (method !== 'HEAD') return reply.send(stream);
      stream.destroy();
      return reply.send('');
    },
  );

  app.post(
    '/sessions/:sessionId/messages/:messageId/forward',
    {
      config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
      schema: {
        tags,
        summary: 'Forward a message by e-mail, with its files',
        description:
          'Only in conversations of a channel with an e-mail connector. A note records it; its status tells whether it was sent.',
        params,
        body: ForwardBody,
        response: { 201: Forwarded },
      },
    },
    async (request, reply) => {
      const { actor, body, params: place } = request;
      const [visible, current, { directory }] = await Promise.all([
        visibleTo(actor),
        definitions.fresh(actor.accountId),
        accountConfig.fresh(actor.accountId),
      ]);
      return write(request, reply, async (tx) => {
        const forwarding = { actor, now: clock.now(), visible, definitions: current, directory };
        const { messageId: id, content, createdAt } = await forwardMessage(tx, forwarding, place, body);
        const message = { id, role: 'operator', content, timestamp: createdAt, attachments: [] };
        return { status: 201, body: { sessionId: place.sessionId, message } };
      });
    },
  );
}
