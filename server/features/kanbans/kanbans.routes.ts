import type { Static } from 'typebox';
import {
  Kanban,
  KanbanCreate,
  KanbansQuery,
  KanbanUpdate,
  MembersPut,
  StatusesPut,
} from '../../../contract/crm/kanbans.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import type { Actor } from '../accounts/accounts.ts';
import { byOrderAndName, type Definitions } from './kanbans.definitions.ts';
import { changeKanban, createKanban, putMembers, putStatuses, removeKanban } from './kanbans.manage.ts';
import { findKanban, maySee, toKanban } from './kanbans.read.ts';

export function kanbansRoutes(app: App, context: Context): void {
  const { clock, write, pageTokens, definitions, recordsOfKanban } = context;
  const tags = ['Kanbans'];
  const read = { access: { scope: 'crm:read', everyUser: true } } as const;
  const manage = { access: { scope: 'manage', permission: 'boards.manage' }, dryRun: true } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/kanbans',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the kanbans with their statuses and fields',
        querystring: KanbansQuery,
        response: { 200: pageOf(Kanban) },
      },
    },
    async (request) =>
      listKanbans(await definitions.fresh(request.actor.accountId), request.actor, pageTokens, request.query),
  );

  app.get(
    '/kanbans/:id',
    {
      config: read,
      schema: { tags, summary: 'A kanban by its id or slug', params, response: { 200: Kanban } },
    },
    async (request) => {
      const all = await definitions.fresh(request.actor.accountId);
      const kanban = findKanban(all, request.actor, request.params.id);
      if (!kanban) throw notFound('kanban');
      return toKanban(kanban);
    },
  );

  app.post(
    '/kanbans',
    {
      config: manage,
      schema: { tags, summary: 'Create a kanban', body: KanbanCreate, response: { 201: Kanban } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        return { status: 201, body: await createKanban(tx, request.actor, clock.now(), request.body) };
      }),
  );

  app.patch(
    '/kanbans/:id',
    {
      config: manage,
      schema: { tags, summary: 'Change a kanban', params, body: KanbanUpdate, response: { 200: Kanban } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { id } = request.params;
        return { status: 200, body: await changeKanban(tx, request.actor, clock.now(), id, request.body) };
      }),
  );

  app.delete(
    '/kanbans/:id',
    {
      config: manage,
      schema: { tags, summary: 'Delete a kanban without records', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeKanban(tx, request.actor, clock.now(), request.params.id, recordsOfKanban);
        return { status: 200, body: { message: 'kanban deleted' } };
      }),
  );

  app.put(
    '/kanbans/:id/statuses',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Replace the statuses; the first is the default',
        params,
        body: StatusesPut,
        response: { 200: Kanban },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { id } = request.params;
        const kanban = await putStatuses(tx, request.actor, clock.now(), id, request.body, recordsOfKanban);
        return { status: 200, body: kanban };
      }),
  );

  app.put(
    '/kanbans/:id/members',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Set the users who may see the kanban; an empty list opens it to everyone',
        params,
        body: MembersPut,
        response: { 200: Kanban },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { id } = request.params;
        return {
          status: 200,
          body: await putMembers(tx, request.actor, clock.now(), id, request.body.userIds),
        };
      }),
  );
}

function listKanbans(
  definitions: Definitions,
  actor: Actor,
  tokens: PageTokens,
  query: Static<typeof KanbansQuery>,
): Page<Kanban> {
  const size = pageSize(query.limit, limits.listPage);
  const onlyAccessible = query.accessible === true;
  const scope = ['kanbans', actor.accountId, onlyAccessible];
  const all = [...definitions.kanbans.values()].filter((kanban) => !onlyAccessible || maySee(actor, kanban));
  let begin = 0;
  if (query.nextToken !== undefined) {
    const [order, name, id] = tokens.read(query.nextToken, scope) as [number, string, string];
    begin = all.findIndex((kanban) => byOrderAndName(kanban, { order, name, id }) > 0);
    if (begin < 0) begin = all.length;
  }
  const page = all.slice(begin, begin + size + 1).map(toKanban);
  return cutPage(page, size, (last) => tokens.issue([last.order, last.name, last.id], scope));
}
