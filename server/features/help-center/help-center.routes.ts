import { HelpCenter, HelpCenterUpdate } from '../../../contract/help-center.ts';
import type { Context } from '../../context.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { settleUploads } from '../attachments/attachments.ts';
import { changeHelpCenter, readHelpCenter } from './help-center.ts';

const tags = ['Knowledge'];

export function helpCenterRoutes(app: App, context: Context): void {
  const { db, clock, write } = context;

  app.get(
    '/help-center',
    {
      config: { access: { scope: 'knowledge:read', permission: 'knowledge.view' } },
      schema: { tags, summary: 'The settings of the help center', response: { 200: HelpCenter } },
    },
    ({ actor }) => readHelpCenter(db, actor.accountId),
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
