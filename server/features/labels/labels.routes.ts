import { Label, LabelCreate, LabelUpdate, LabelUsage } from '../../../contract/labels.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changeLabel, createLabel, findUsage, listLabels, removeLabel, requireLabel } from './labels.ts';

export function labelsRoutes(app: App, { db, clock, write, labelled }: Context): void {
  const tags = ['Labels'];
  const read = { access: { anyone: true } } as const;
  const manage = { access: { scope: 'manage', permission: 'labels.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/labels',
    {
      config: read,
      schema: { tags, summary: 'All labels of the account, by name', response: { 200: pageOf(Label) } },
    },
    async (request) => ({ items: await listLabels(db, request.actor.accountId), nextToken: null }),
  );

  app.get(
    '/labels/:id',
    { config: read, schema: { tags, summary: 'One label', params, response: { 200: Label } } },
    (request) => requireLabel(db, request.actor.accountId, request.params.id),
  );

  app.get(
    '/labels/:id/usage',
    {
      config: manage,
      schema: {
        tags,
        summary: 'How many conversations and cards have a label',
        params,
        response: { 200: LabelUsage },
      },
    },
    (request) => findUsage(db, request.actor.accountId, request.params.id, labelled),
  );

  app.post(
    '/labels',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a label',
        description: `Names are unique in the account, case-insensitive (409). An account can have ${limits.labels} labels (409). Without a color it is blue.`,
        body: LabelCreate,
        response: { 201: Label },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createLabel(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/labels/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change the name, the color or the description of a label',
        params,
        body: LabelUpdate,
        response: { 200: Label },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeLabel(tx, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/labels/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a label',
        description:
          'Conversations and cards lose it in the background, with their events. Until then their responses may still contain its id.',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeLabel(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'label deleted' } };
      }),
  );
}
