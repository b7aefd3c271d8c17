import {
  SavedReply,
  SavedReplyCreate,
  SavedReplyUpdate,
  SavedView,
  SavedViewCreate,
  SavedViewUpdate,
} from '../../../contract/dashboard.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { UserActor } from '../accounts/accounts.ts';
import { requireKanban } from '../kanbans/kanbans.ts';
import { selectReplies, selectViews } from './dashboard-api.saved.sql.ts';
import {
  changeReply,
  changeView,
  createReply,
  createView,
  removeReply,
  removeView,
} from './dashboard-api.saved.ts';

export function savedRoutes(app: App, { db, clock, write, definitions }: Context): void {
  const tags = ['Dashboard'];
  const config = { access: { user: true } } as const;
  const params = Type.Object({ id: Type.String() });
  const ofKanban = Type.Object({ kanbanId: Type.String() });
  const listOf = <T extends typeof SavedView | typeof SavedReply>(item: T) =>
    Type.Object({ items: Type.Array(item), nextToken: Type.Null() });

  app.get(
    '/saved-views',
    {
      config,
      schema: {
        tags,
        summary: "A kanban's views: the caller's own and the shared ones",
        querystring: ofKanban,
        response: { 200: listOf(SavedView) },
      },
    },
    async (request) => {
      const actor = request.actor as UserActor;
      const current = await definitions.fresh(actor.accountId);
      const kanban = requireKanban(current, actor, request.query.kanbanId);
      return { items: await selectViews(db, actor.accountId, kanban.id, actor.id), nextToken: null };
    },
  );

  app.post(
    '/saved-views',
    {
      config,
      schema: {
        tags,
        summary: 'Save a view of a kanban',
        body: Type.Object({ ...ofKanban.properties, ...SavedViewCreate.properties }),
        response: { 201: SavedView },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const actor = request.actor as UserActor;
        const view = await definitions.withDefinitions(tx, actor.accountId, (current) =>
          createView(tx, actor, clock.now(), current, request.body),
        );
        return { status: 201, body: view };
      }),
  );

  app.patch(
    '/saved-views/:id',
    {
      config,
      schema: { tags, summary: 'Change a view', params, body: SavedViewUpdate, response: { 200: SavedView } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const actor = request.actor as UserActor;
        const view = await definitions.withDefinitions(tx, actor.accountId, (current) =>
          changeView(tx, actor, clock.now(), current, request.params.id, request.body),
        );
        return { status: 200, body: view };
      }),
  );

  app.delete(
    '/saved-views/:id',
    { config, schema: { tags, summary: 'Delete a view', params, response: { 200: Done } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const actor = request.actor as UserActor;
        await definitions.withDefinitions(tx, actor.accountId, (current) =>
          removeView(tx, actor, current, request.params.id),
        );
        return { status: 200, body: { message: 'view deleted' } };
      }),
  );

  app.get(
    '/saved-replies',
    {
      config,
      schema: {
        tags,
        summary: "Saved replies: the caller's own and the shared ones, by name",
        response: { 200: listOf(SavedReply) },
      },
    },
    async ({ actor }) => ({ items: await selectReplies(db, actor.accountId, actor.id), nextToken: null }),
  );

  app.post(
    '/saved-replies',
    {
      config,
      schema: {
        tags,
        summary: 'Create a saved reply',
        body: SavedReplyCreate,
        response: { 201: SavedReply },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createReply(tx, request.actor as UserActor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/saved-replies/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change a saved reply',
        params,
        body: SavedReplyUpdate,
        response: { 200: SavedReply },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeReply(tx, request.actor as UserActor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/saved-replies/:id',
    { config, schema: { tags, summary: 'Delete a saved reply', params, response: { 200: Done } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeReply(tx, request.actor as UserActor, request.params.id);
        return { status: 200, body: { message: 'saved reply deleted' } };
      }),
  );
}
