/** The HTML of a mail for a sandboxed frame: an address for it, and the document. */

import { MailView, MailViewQuery } from '../../../../contract/messaging/mail.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import { notFound } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import { readMail } from '../mail/connectors.mail.ts';
import { mailDocument, mailHeaders } from './mail-view.document.ts';
import { createMailSanitiser, readMailHtml } from './mail-view.ts';
import { createMailUrls } from './mail-view.urls.ts';

/** A frame is loaded at once; the page asks for another address when it needs one. */
const validMs = 5 * 60_000;

export function mailViewRoutes(app: App, context: Context): void {
  const { clock, secrets, visibleTo } = context;
  const urls = createMailUrls(secrets);
  const sanitiser = createMailSanitiser();
  app.addHook('onClose', () => sanitiser.close());

  app.get(
    '/sessions/:sessionId/messages/:messageId/mail/view',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags: ['Messages'],
        summary: 'An address of the HTML of an e-mail, sanitised, for a sandboxed frame',
        params: Type.Object({ sessionId: Type.String(), messageId: Type.String() }),
        querystring: MailViewQuery,
        response: { 200: MailView },
      },
    },
    async ({ actor, params, query: { remoteImages = false, theme = 'light' } }) => {
      const { html } = await readMail(context, actor, await visibleTo(actor), params);
      if (html === null) throw notFound('HTML of the mail');
      const clean = await sanitiser.sanitise({ html, remoteImages, inlineImages: new Map() });
      const expiresAt = clock.now() + validMs;
      const { accountId } = actor;
      const url = urls.sign({ accountId, messageId: params.messageId, remoteImages, theme, expiresAt });
      return { url, expiresAt, blockedImages: clean.blockedImages, isCut: clean.isCut };
    },
  );

  app.get(
    '/mail-view/:accountId/:messageId',
    {
      // The address is the permission: it is signed for one mail, one way to show it, and a time.
      config: { access: { public: true } },
      schema: { hide: true, params: Type.Object({ accountId: Type.String(), messageId: Type.String() }) },
    },
    async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const { accountId, messageId, remoteImages, theme } = urls.verify(request.params, query, clock.now());
      const mail = await readMailHtml(context, accountId, messageId);
      if (!mail) throw notFound('mail');
      const clean = await sanitiser.sanitise({ ...mail, remoteImages });
      return reply.headers(mailHeaders(remoteImages)).send(mailDocument(clean, theme));
    },
  );
}
