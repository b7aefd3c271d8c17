import { permissionRules } from '../../../../contract/roles/permissions.ts';
import {
  PermissionList,
  Role,
  RoleCreate,
  RoleDeleteQuery,
  RoleList,
  RoleUpdate,
} from '../../../../contract/roles/roles.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { changeRole, createRole, listRoles, removeRole, requireRole } from './accounts.roles.ts';

const tags = ['Roles'];
const read = { access: { scope: 'manage', everyUser: true } } as const;
const change = { access: { administrator: true } } as const;
const params = Type.Object({ id: Type.String() });

export function rolesRoutes(app: App, context: Context): void {
  const { db, clock, write, authenticator, invitationsOfRole } = context;

  app.get(
    '/permissions',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the permissions that roles are made of',
        response: { 200: PermissionList },
      },
    },
    () => ({ items: [...permissionRules] }),
  );

  app.get(
    '/roles',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the roles: the built-in ones first, then those of the account',
        response: { 200: RoleList },
      },
    },
    async ({ actor }) => ({ items: await listRoles(db, actor.accountId) }),
  );

  app.get(
    '/roles/:id',
    { config: read, schema: { tags, summary: 'One role', params, response: { 200: Role } } },
    ({ actor, params: { id } }) => requireRole(db, actor.accountId, id),
  );

  app.post(
    '/roles',
    {
      config: change,
      schema: {
        tags,
        summary: 'Make a role of the account',
        description: 'Only a signed-in administrator can do this.',
        body: RoleCreate,
        response: { 201: Role },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createRole(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/roles/:id',
    {
      config: change,
      schema: {
        tags,
        summary: 'Change a role of the account',
        description:
          'In force at once, also for users who are signed in. A change of `permissions` ends the links of invitations with the role: send these again. Built-in roles cannot be changed (409).',
        params,
        body: RoleUpdate,
        response: { 200: Role },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const { name, description, permissions } = request.body;
        const wanted = { name, description, permissions };
        const { id } = request.params;
        return {
          status: 200,
          body: await changeRole(tx, request.actor, clock.now(), id, wanted, invitationsOfRole),
        };
      }),
  );

  app.delete(
    '/roles/:id',
    {
      config: change,
      schema: {
        tags,
        summary: 'Delete a role of the account',
        description:
          'While users have it or open invitations give it, `replacement` is required; without it a 409 with `userCount` and `invitationCount`. The links of these invitations end.',
        params,
        querystring: RoleDeleteQuery,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const { replacement } = request.query;
        const { id } = request.params;
        await removeRole(tx, request.actor, clock.now(), id, replacement, invitationsOfRole);
        return { status: 200, body: { message: 'role deleted' } };
      }),
  );
}
