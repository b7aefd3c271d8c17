import { FirstRun, FirstRunDismissed, FirstRunUpdate } from '../../../contract/first-run.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { readFirstRun, setDismissed } from './first-run.ts';

const tags = ['First steps'];
const config = { access: { scope: 'manage', permission: 'account.manage' } } as const;

export function firstRunRoutes(app: App, { db, clock, write }: Context): void {
  app.get(
    '/first-run',
    {
      config,
      schema: { tags, summary: 'Progress of the first steps', response: { 200: FirstRun } },
    },
    (request) => readFirstRun(db, request.actor.accountId),
  );

  app.patch(
    '/first-run',
    {
      config,
      schema: {
        tags,
        summary: 'Hide or show the first steps',
        body: FirstRunUpdate,
        response: { 200: FirstRunDismissed },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const dismissedAt = request.body.dismissed ? clock.now() : null;
        await setDismissed(tx, request.actor.accountId, dismissedAt);
        return { status: 200, body: { dismissedAt } };
      }),
  );
}
