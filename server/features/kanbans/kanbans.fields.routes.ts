import {
  Field,
  FieldCreate,
  FieldGroup,
  FieldGroupCreate,
  FieldGroupUpdate,
  FieldsQuery,
  FieldUpdate,
  OfKanbanQuery,
  Status,
} from '../../../contract/crm/kanbans.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery, pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { cutPage } from '../../platform/http/page-token.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { Definitions, KanbanDefinition } from './kanbans.definitions.ts';
import {
  changeField,
  changeFieldGroup,
  createField,
  createFieldGroup,
  removeField,
  removeFieldGroup,
} from './kanbans.fields.ts';
import { maySee, toField } from './kanbans.read.ts';

export function fieldsRoutes(app: App, context: Context): void {
  const { clock, write, pageTokens, definitions, recordsOfKanban, channelsOfAccount } = context;
  const tags = ['Fields and statuses'];
  const read = { access: { scope: 'crm:read', everyUser: true } } as const;
  const manage = { access: { scope: 'manage', permission: 'fields.manage' }, dryRun: true } as const;
  const fieldParams = Type.Object({ fieldId: Type.String() });
  const groupParams = Type.Object({ id: Type.String() });

  /** The boards of a reading query. An id of no visible board is a filter that matches nothing. */
  const boardsOf = (
    actor: Actor,
    { kanbans, defaultKanban }: Definitions,
    query: { kanbanId?: string; all?: boolean },
  ): KanbanDefinition[] => {
    const asked =
      query.kanbanId !== undefined
        ? [kanbans.get(query.kanbanId)]
        : query.all === true
          ? [...kanbans.values()]
          : [defaultKanban];
    return asked.filter((kanban) => kanban !== undefined).filter((kanban) => maySee(actor, kanban));
  };

  app.get(
    '/crm/fields',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the fields of a kanban, or of all',
        querystring: FieldsQuery,
        response: { 200: Type.Object({ fields: Type.Array(Field) }) },
      },
    },
    async (request) => {
      const { actor, query } = request;
      const current = await definitions.fresh(actor.accountId);
      const channels = await channelsOfAccount.at(actor.accountId, current);
      const fields = boardsOf(actor, current, query).flatMap((kanban) => [...kanban.fields.values()]);
      return { fields: fields.map((field) => toField(field, channels)) };
    },
  );

  app.get(
    '/crm/statuses',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the statuses of a kanban',
        querystring: OfKanbanQuery,
        response: { 200: Type.Object({ statuses: Type.Array(Status) }) },
      },
    },
    async (request) => {
      const { actor, query } = request;
      const boards = boardsOf(actor, await definitions.fresh(actor.accountId), query);
      return { statuses: boards.flatMap((kanban) => kanban.statuses) };
    },
  );

  app.post(
    '/crm/fields',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a field',
        querystring: OfKanbanQuery,
        body: FieldCreate,
        response: { 201: Field },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, query } = request;
        const field = await createField(tx, actor, clock.now(), query.kanbanId, request.body);
        return { status: 201, body: toField(field, await channelsOfAccount.load(tx, actor.accountId)) };
      }),
  );

  app.patch(
    '/crm/fields/:fieldId',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change a field',
        params: fieldParams,
        body: FieldUpdate,
        response: { 200: Field },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body } = request;
        const { fieldId } = request.params;
        const field = await changeField(tx, actor, clock.now(), fieldId, body, recordsOfKanban);
        return { status: 200, body: toField(field, await channelsOfAccount.load(tx, actor.accountId)) };
      }),
  );

  app.delete(
    '/crm/fields/:fieldId',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a field with its values',
        description:
          'The values are removed before the response. A crm_field_update with `newValue` null follows for each record that had one, in batches. A dry run lists the first 1,000 of these events.',
        params: fieldParams,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx, { isDryRun }) => {
        const { fieldId } = request.params;
        await removeField(tx, request.actor, clock.now(), fieldId, recordsOfKanban, isDryRun);
        return { status: 200, body: { message: 'field deleted' } };
      }),
  );

  app.get(
    '/crm/field-groups',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the field groups of a kanban',
        querystring: Type.Object({ ...OfKanbanQuery.properties, ...pageQuery(limits.listPage) }),
        response: { 200: pageOf(FieldGroup) },
      },
    },
    async (request) => {
      const { actor, query } = request;
      const size = pageSize(query.limit, limits.listPage);
      const scope = ['field-groups', actor.accountId, query.kanbanId];
      const boards = boardsOf(actor, await definitions.fresh(actor.accountId), query);
      const groups = boards.flatMap((kanban) => kanban.groups);
      const cursor = query.nextToken === undefined ? null : pageTokens.read(query.nextToken, scope);
      const rest = cursor === null ? groups : groups.filter((group) => isAfter(group, cursor));
      return cutPage(rest.slice(0, size + 1), size, (last) => pageTokens.issue([last.order, last.id], scope));
    },
  );

  app.post(
    '/crm/field-groups',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a field group',
        querystring: OfKanbanQuery,
        body: FieldGroupCreate,
        response: { 201: FieldGroup },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { kanbanId } = request.query;
        return {
          status: 201,
          body: await createFieldGroup(tx, request.actor, clock.now(), kanbanId, request.body),
        };
      }),
  );

  app.patch(
    '/crm/field-groups/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change a field group',
        params: groupParams,
        body: FieldGroupUpdate,
        response: { 200: FieldGroup },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { id } = request.params;
        return {
          status: 200,
          body: await changeFieldGroup(tx, request.actor, clock.now(), id, request.body),
        };
      }),
  );

  app.delete(
    '/crm/field-groups/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a field group; its fields stay, ungrouped',
        params: groupParams,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeFieldGroup(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'field group deleted' } };
      }),
  );
}

/** Groups are sorted by order, then id; a cursor names the last one shown, so that others may come and go. */
function isAfter(group: FieldGroup, [order, id]: (string | number)[]): boolean {
  return group.order > Number(order) || (group.order === Number(order) && group.id > String(id));
}
