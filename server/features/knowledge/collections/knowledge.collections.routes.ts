import {
  KnowledgeCollection,
  KnowledgeCollectionCreate,
  KnowledgeCollectionUpdate,
} from '../../../../contract/knowledge-collections.ts';
import { limits } from '../../../../contract/limits.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { pageOf } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import {
  changeCollection,
  createCollection,
  listCollections,
  removeCollection,
  requireCollection,
} from '../knowledge.ts';

const tags = ['Knowledge'];
const view = { access: { scope: 'knowledge:read', permission: 'knowledge.view' } } as const;
const manage = { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } } as const;
const params = Type.Object({ id: Type.String() });

export function collectionsRoutes(app: App, { db, clock, write }: Context): void {
  app.get(
    '/knowledge/collections',
    {
      config: view,
      schema: {
        tags,
        summary: 'All collections of the account, by order',
        response: { 200: pageOf(KnowledgeCollection) },
      },
    },
    async ({ actor }) => ({ items: await listCollections(db, actor.accountId), nextToken: null }),
  );

  app.get(
    '/knowledge/collections/:id',
    {
      config: view,
      schema: { tags, summary: 'One collection', params, response: { 200: KnowledgeCollection } },
    },
    (request) => requireCollection(db, request.actor.accountId, request.params.id),
  );

  app.post(
    '/knowledge/collections',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a collection',
        description: `Without \`order\` it is the last one in its parent. An account can have ${limits.knowledgeCollections} (409).`,
        body: KnowledgeCollectionCreate,
        response: { 201: KnowledgeCollection },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createCollection(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/knowledge/collections/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Rename or move a collection',
        params,
        body: KnowledgeCollectionUpdate,
        response: { 200: KnowledgeCollection },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeCollection(tx, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/knowledge/collections/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a collection',
        description: 'Its collections and documents move to its parent.',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeCollection(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'knowledge collection deleted' } };
      }),
  );
}
