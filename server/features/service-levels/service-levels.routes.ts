import { SlaPolicy, SlaPolicyCreate, SlaPolicyUpdate } from '../../../contract/service-levels.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changePolicy, createPolicy, listPolicies, removePolicy, requirePolicy } from './service-levels.ts';

export function serviceLevelsRoutes(app: App, context: Context): void {
  const { db, clock, write } = context;
  const tags = ['Service levels'];
  const read = { access: { scope: 'manage', everyUser: true } } as const;
  const manage = { access: { scope: 'manage', permission: 'automation.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/sla-policies',
    {
      config: read,
      schema: {
        tags,
        summary: 'All service levels of the account, in the order in which they are tried',
        response: { 200: pageOf(SlaPolicy) },
      },
    },
    async (request) => ({ items: await listPolicies(db, request.actor.accountId), nextToken: null }),
  );

  app.get(
    '/sla-policies/:id',
    { config: read, schema: { tags, summary: 'One service level', params, response: { 200: SlaPolicy } } },
    (request) => requirePolicy(db, request.actor.accountId, request.params.id),
  );

  app.post(
    '/sla-policies',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a service level',
        description:
          'It reaches open conversations within a minute, with the times at which their targets began.',
        body: SlaPolicyCreate,
        response: { 201: SlaPolicy },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createPolicy(tx, context, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/sla-policies/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change a service level',
        params,
        body: SlaPolicyUpdate,
        response: { 200: SlaPolicy },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changePolicy(tx, context, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/sla-policies/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a service level; its conversations get the next one that matches',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removePolicy(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'policy deleted' } };
      }),
  );
}
