import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import { inboxLimits, WebhookInbox, WebhookInboxAnswer } from '../../../../contract/webhook-inbox.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { openInbox, readInbox, receive } from './webhook-inbox.ts';

const tags = ['First steps'];
const config = { access: { scope: 'manage', permission: 'webhooks.manage' } } as const;

export function webhookInboxRoutes(app: App, context: Context): void {
  const { db, clock, write, config: settings } = context;

  app.post(
    '/webhook-inbox',
    {
      config,
      schema: {
        tags,
        summary: 'Open a test receiver for webhooks, for one hour',
        description: 'One for each account. Opening it again keeps its address and what it has received.',
        response: { 201: WebhookInbox },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await openInbox(tx, request.actor.accountId, clock.now(), settings.publicUrl),
      })),
  );

  app.get(
    '/webhook-inbox',
    {
      config,
      schema: { tags, summary: 'What the receiver has received', response: { 200: WebhookInboxAnswer } },
    },
    async (request) => ({
      inbox: await readInbox(db, request.actor.accountId, clock.now(), settings.publicUrl),
    }),
  );

  app.post(
    '/webhook-inbox/:key',
    {
      config: { access: { public: true } },
      bodyLimit: inboxLimits.bodyBytes,
      schema: {
        tags,
        summary: 'The receiver itself',
        description:
          'Accepts any JSON of up to 256 KiB from anyone who knows the key. 410 after the hour is over.',
        params: Type.Object({ key: Type.String() }),
        response: { 200: Done },
      },
    },
    async (request) => {
      const { headers, rawBody } = request;
      await receive(context, request.params.key, { headers, body: rawBody ?? '' });
      return { message: 'received' };
    },
  );
}
