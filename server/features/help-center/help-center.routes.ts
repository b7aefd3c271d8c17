import { HelpCenter, HelpCenterUpdate } from '../../../contract/help-center.ts';
import { DownloadAnswer } from '../../../contract/messaging/attachments.ts';
import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { createFileUrls, describeDownload, settleUploads } from '../attachments/attachments.ts';
import { changeHelpCenter, readHelpCenter } from './help-center.ts';

const tags = ['Knowledge'];
const view = { access: { scope: 'knowledge:read', permission: 'knowledge.view' } } as const;

export function helpCenterRoutes(app: App, context: Context): void {
  const { db, clock, config, secrets, write } = context;
  const files = { ...context, urls: createFileUrls(secrets) };

  app.get(
    '/help-center',
    {
      config: view,
      schema: { tags, summary: 'The settings of the help center', response: { 200: HelpCenter } },
    },
    ({ actor }) => readHelpCenter(db, actor.accountId),
  );

  app.get(
    '/help-center/logo',
    {
      config: view,
      schema: {
        tags,
        summary: 'An address to download the logo of the help center from',
        description: 'Also while the help center is off. Without a logo: 404.',
        response: { 200: DownloadAnswer },
      },
    },
    async (request) => {
      const { accountId } = request.actor;
      const { logoFileKey } = await readHelpCenter(db, accountId);
      if (logoFileKey === null) throw notFound('logo');
      const baseUrl = config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`;
      return describeDownload(files, accountId, logoFileKey, baseUrl, null);
    },
  );

  app.patch(
    '/help-center',
    {
      config: { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } },
      schema: {
        tags,
        summary: 'Change the help center',
        description:
          'While it is enabled, published public articles in one of its languages can be read by everyone at `/help/{slug}`.',
        body: HelpCenterUpdate,
        response: { 200: HelpCenter },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      if (body.logoFileKey) {
        const problem = (await settleUploads(context, actor.accountId, [body.logoFileKey])).get(
          body.logoFileKey,
        );
        if (problem) throw badRequest(`logoFileKey: ${problem}`);
      }
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeHelpCenter(tx, actor, clock.now(), body),
      }));
    },
  );
}
