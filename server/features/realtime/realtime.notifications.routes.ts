import { limits } from '../../../contract/limits.ts';
import {
  NotificationSettings,
  NotificationSettingsUpdate,
  NotificationsPage,
  NotificationsQuery,
  NotificationsRead,
  PushKey,
  PushSubscribe,
  PushSubscribed,
  UnreadAnswer,
} from '../../../contract/realtime.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { cutPage } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { countUnread, findSettings, markRead, selectNotifications } from './realtime.notifications.sql.ts';
import { deleteSubscription, findSubscription } from './realtime.push.sql.ts';
import { enqueueTest, requireKeys, subscribe } from './realtime.push.ts';
import { changeSettings, wholeSettings } from './realtime.settings.ts';

const tags = ['Notifications'];
const config = { access: { user: true } } as const;

export function notificationsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, config: settings } = context;

  app.get(
    '/notifications',
    {
      config,
      schema: {
        tags,
        summary: 'List your notifications, newest first',
        querystring: NotificationsQuery,
        response: { 200: NotificationsPage },
      },
    },
    async ({ actor, query }) => {
      const { accountId, id: userId } = actor;
      const unreadOnly = query.unread === true;
      const size = pageSize(query.limit, limits.listPage);
      const scope = ['notifications', accountId, userId, unreadOnly];
      const cursor = query.nextToken === undefined ? null : pageTokens.read(query.nextToken, scope);
      const after = cursor && { updatedAt: Number(cursor[0]), id: String(cursor[1]) };
      const rows = await selectNotifications(db, accountId, userId, unreadOnly, after, size + 1);
      const page = cutPage(rows, size, (last) => pageTokens.issue([last.updatedAt, last.id], scope));
      return { ...page, unread: await countUnread(db, accountId, userId) };
    },
  );

  app.post(
    '/notifications/read',
    {
      config,
      schema: {
        tags,
        summary: 'Mark notifications as read',
        body: NotificationsRead,
        response: { 200: UnreadAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { ids, sessionId, recordId, all } = request.body;
        if ([ids, sessionId, recordId, all].every((one) => one === undefined)) {
          throw badRequest('ids, sessionId, recordId or all is required');
        }
        const { accountId, id: userId } = request.actor;
        const ofRecord = recordId !== undefined && isId(recordId) ? recordId : undefined;
        const which = { ids: ids?.filter(isId), sessionId, recordId: ofRecord, all };
        await markRead(tx, accountId, userId, which, clock.now());
        return { status: 200, body: { unread: await countUnread(tx, accountId, userId) } };
      }),
  );

  app.get(
    '/notifications/settings',
    {
      config,
      schema: {
        tags,
        summary: 'Your notification settings and quiet hours',
        response: { 200: NotificationSettings },
      },
    },
    async ({ actor }) => wholeSettings(await findSettings(db, actor.accountId, actor.id)),
  );

  app.patch(
    '/notifications/settings',
    {
      config,
      schema: {
        tags,
        summary: 'Change your notification settings',
        body: NotificationSettingsUpdate,
        response: { 200: NotificationSettings },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeSettings(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.get(
    '/push/key',
    {
      config,
      schema: {
        tags,
        summary: 'Get the key that push subscriptions are made with',
        response: { 200: PushKey },
      },
    },
    async () => ({ publicKey: (await requireKeys(context)).publicKey }),
  );

  app.post(
    '/push/subscriptions',
    {
      config,
      schema: {
        tags,
        summary: 'Subscribe a browser to push messages',
        body: PushSubscribe,
        response: { 201: PushSubscribed },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body } = request;
        const id = await subscribe(tx, actor, clock.now(), settings.outboundAllow, body);
        return { status: 201, body: { id } };
      }),
  );

  app.post(
    '/push/subscriptions/:id/test',
    {
      config,
      schema: {
        tags,
        summary: 'Send a test notification to a browser of yours',
        params: Type.Object({ id: Type.String() }),
        response: { 202: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { accountId, id: userId } = request.actor;
        const { id } = request.params;
        const found = isId(id) ? await findSubscription(tx, accountId, id) : null;
        if (found?.userId !== userId) throw notFound('subscription');
        await enqueueTest(tx, accountId, id);
        return { status: 202, body: { message: 'test notification queued' } };
      }),
  );

  app.delete(
    '/push/subscriptions/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Unsubscribe a browser from push messages',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { accountId, id: userId } = request.actor;
        const { id } = request.params;
        if (!isId(id) || !(await deleteSubscription(tx, accountId, id, userId)))
          throw notFound('subscription');
        return { status: 200, body: { message: 'subscription deleted' } };
      }),
  );
}
