import {
  InboxView,
  InboxViewCounts,
  InboxViewCreate,
  InboxViewUpdate,
} from '../../../contract/inbox-views.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { createViewCounts } from './inbox-views.counts.ts';
import { changeInboxView, createInboxView, listInboxViews, removeInboxView } from './inbox-views.ts';

export function inboxViewsRoutes(app: App, context: Context): void {
  const { db, clock, write, visibleTo } = context;
  const tags = ['Inbox views'];
  const read = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
  /** A view changes no conversation. */
  const change = { access: { scope: 'messages:write', permission: 'conversations.view' } } as const;
  const params = Type.Object({ id: Type.String() });
  const counts = createViewCounts(context);

  app.get(
    '/inbox-views',
    {
      config: read,
      schema: {
        tags,
        summary: "Views of the inbox: the caller's own and the shared ones, in their order",
        response: { 200: Type.Object({ items: Type.Array(InboxView), nextToken: Type.Null() }) },
      },
    },
    async ({ actor }) => ({ items: await listInboxViews(db, actor), nextToken: null }),
  );

  app.get(
    '/inbox-views/counts',
    {
      config: read,
      schema: {
        tags,
        summary: 'How many conversations each view has, at most 5 seconds ago',
        response: { 200: InboxViewCounts },
      },
    },
    async ({ actor }) => counts.read(actor, await visibleTo(actor)),
  );

  app.post(
    '/inbox-views',
    {
      config: change,
      schema: {
        tags,
        summary: 'Create a view of the inbox',
        description: `Everything that the filter names must exist. At most ${limits.inboxViews.shared} shared views in an account and ${limits.inboxViews.private} private ones of a user (409).`,
        body: InboxViewCreate,
        response: { 201: InboxView },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createInboxView(tx, context, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/inbox-views/:id',
    {
      config: change,
      schema: { tags, summary: 'Change a view', params, body: InboxViewUpdate, response: { 200: InboxView } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeInboxView(tx, context, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/inbox-views/:id',
    { config: change, schema: { tags, summary: 'Delete a view', params, response: { 200: Done } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeInboxView(tx, request.actor, request.params.id);
        return { status: 200, body: { message: 'view deleted' } };
      }),
  );
}
