import { DemoFilled, DemoRemoved, DemoRemoveQuery } from '../../../../contract/first-run.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { generatePassword, hashPassword } from '../../accounts/accounts.ts';
import { fillDemo } from './demo.fill.ts';
import { removeDemo } from './demo.remove.ts';

const tags = ['First steps'];
const config = { access: { scope: 'manage', permission: 'account.manage' } } as const;

export function demoRoutes(app: App, { clock, write, secrets, authenticator }: Context): void {
  app.post(
    '/demo',
    {
      config,
      schema: {
        tags,
        summary: 'Fill the workspace with a demo',
        description:
          'Boards, people, channels, agents and 90 days of records and conversations. Webhooks are not triggered. 409 if it already exists.',
        response: { 201: DemoFilled },
      },
    },
    async (request, reply) => {
      // Demo users cannot sign in: the password is not kept.
      const passwordHash = await hashPassword(generatePassword());
      const { accountId } = request.actor;
      return write(request, reply, async (tx) => {
        const body = await fillDemo(tx, accountId, { now: clock.now(), secrets, passwordHash });
        return { status: 201, body };
      });
    },
  );

  app.delete(
    '/demo',
    {
      config,
      schema: {
        tags,
        summary: 'Remove the demo completely',
        description: '409 if people have added to it and force is not true.',
        querystring: DemoRemoveQuery,
        response: { 200: DemoRemoved },
      },
    },
    (request, reply) => {
      const { accountId } = request.actor;
      return write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const force = request.query.force === true;
        return { status: 200, body: await removeDemo(tx, accountId, { now: clock.now(), force }) };
      });
    },
  );
}
