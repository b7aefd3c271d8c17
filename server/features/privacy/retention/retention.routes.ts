import { Retention, RetentionPreview, RetentionUpdate } from '../../../../contract/retention.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { changeRetention, previewRetention, readRetention } from './retention.ts';

export function retentionRoutes(app: App, { db, clock, write }: Context): void {
  const tags = ['Account'];
  const config = { access: { scope: 'manage', permission: 'privacy.manage' } } as const;

  app.get(
    '/account/retention',
    {
      config,
      schema: {
        tags,
        summary: 'How long your account keeps its data',
        response: { 200: Retention },
      },
    },
    (request) => readRetention(db, request.actor.accountId),
  );

  app.patch(
    '/account/retention',
    {
      config,
      schema: {
        tags,
        summary: 'Change how long your account keeps its data',
        description:
          'What is older is removed at once, in the background, and cannot be brought back. POST /account/retention/preview tells how much that is.',
        body: RetentionUpdate,
        response: { 200: Retention },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeRetention(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.post(
    '/account/retention/preview',
    {
      config,
      schema: {
        tags,
        summary: 'How much would be removed with other settings',
        description: 'Changes nothing. Settings that are left out are as they are now.',
        body: RetentionUpdate,
        response: { 200: RetentionPreview },
      },
    },
    (request) => previewRetention(db, request.actor.accountId, clock.now(), request.body),
  );
}
