import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import {
  DeliveriesQuery,
  Delivery,
  EventAnswer,
  QueuedAnswer,
  ReplayAnswer,
  ReplayBody,
  SecretAnswer,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookSettings,
  WebhookSettingsUpdate,
  WebhookUpdate,
} from '../../../contract/webhooks.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { explainEvent, listDeliveries, redeliverOne, replay, sendTest } from './webhooks.log.ts';
import { changeSettings, readSettings } from './webhooks.prune.ts';
import {
  changeWebhook,
  checkUrl,
  createWebhook,
  listWebhooks,
  removeWebhook,
  requireWebhook,
  rotateSecret,
} from './webhooks.settings.ts';

const tags = ['Webhooks'];
const config = { access: { scope: 'manage', permission: 'webhooks.manage' } } as const;
const params = Type.Object({ id: Type.String() });

export function webhooksRoutes(app: App, context: Context): void {
  settingsRoutes(app, context);
  retentionRoutes(app, context);
  logRoutes(app, context);
}

function settingsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, secrets, definitions, config: settings } = context;

  app.post(
    '/webhooks',
    {
      config,
      schema: { tags, summary: 'Create a webhook', body: WebhookCreate, response: { 201: WebhookCreated } },
    },
    async (request, reply) => {
      await checkUrl(request.body.url, settings);
      const current = await definitions.fresh(request.actor.accountId);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createWebhook(tx, request.actor, clock.now(), secrets, current, request.body),
      }));
    },
  );

  app.get(
    '/webhooks',
    {
      config,
      schema: {
        tags,
        summary: 'List the webhooks, newest first',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(Webhook) },
      },
    },
    (request) => listWebhooks(db, request.actor.accountId, pageTokens, request.query),
  );

  app.get(
    '/webhooks/:id',
    { config, schema: { tags, summary: 'One webhook', params, response: { 200: Webhook } } },
    (request) => requireWebhook(db, request.actor.accountId, request.params.id),
  );

  app.patch(
    '/webhooks/:id',
    {
      config,
      schema: { tags, summary: 'Change a webhook', params, body: WebhookUpdate, response: { 200: Webhook } },
    },
    async (request, reply) => {
      await checkUrl(request.body.url, settings);
      const current = await definitions.fresh(request.actor.accountId);
      const { id } = request.params;
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeWebhook(tx, request.actor, clock.now(), current, id, request.body),
      }));
    },
  );

  app.delete(
    '/webhooks/:id',
    {
      config,
      schema: { tags, summary: 'Delete a webhook with its log', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeWebhook(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'webhook deleted' } };
      }),
  );

  app.post(
    '/webhooks/:id/rotate-secret',
    {
      config,
      schema: {
        tags,
        summary: 'Create a new secret; the old one stays valid for 24 hours',
        params,
        response: { 200: SecretAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const secret = await rotateSecret(tx, request.actor, clock.now(), secrets, request.params.id);
        return { status: 200, body: { secret } };
      }),
  );
}

function retentionRoutes(app: App, { db, clock, write }: Context): void {
  app.get(
    '/webhook-settings',
    {
      config,
      schema: { tags, summary: 'How long the log is kept', response: { 200: WebhookSettings } },
    },
    (request) => readSettings(db, request.actor.accountId),
  );

  app.patch(
    '/webhook-settings',
    {
      config,
      schema: {
        tags,
        summary: 'Change how long the log is kept',
        body: WebhookSettingsUpdate,
        response: { 200: WebhookSettings },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeSettings(tx, request.actor, clock.now(), request.body),
      })),
  );
}

function logRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens } = context;

  app.post(
    '/webhooks/:id/test',
    {
      config,
      schema: {
        tags,
        summary: 'Send a test event, even while disabled',
        params,
        response: { 202: QueuedAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const queued = await sendTest(tx, request.actor, clock.now(), request.params.id);
        return { status: 202, body: { ...queued, message: 'test event queued' } };
      }),
  );

  app.post(
    '/webhooks/:id/replay',
    {
      config,
      schema: {
        tags,
        summary: 'Send the events of a time range again, byte for byte',
        params,
        body: ReplayBody,
        response: { 202: ReplayAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const count = await replay(tx, request.actor, clock.now(), request.params.id, request.body);
        return { status: 202, body: { count, message: `${count} deliveries queued` } };
      }),
  );

  app.get(
    '/webhooks/:id/deliveries',
    {
      config,
      schema: {
        tags,
        summary: 'The delivery log, newest first',
        params,
        querystring: DeliveriesQuery,
        response: { 200: pageOf(Delivery) },
      },
    },
    (request) => listDeliveries(db, request.actor.accountId, pageTokens, request.params.id, request.query),
  );

  app.post(
    '/webhook-deliveries/:id/redeliver',
    { config, schema: { tags, summary: 'Send one event again', params, response: { 202: QueuedAnswer } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const queued = await redeliverOne(tx, request.actor, clock.now(), request.params.id);
        return { status: 202, body: { ...queued, message: 'delivery queued' } };
      }),
  );

  app.get(
    '/events/:id',
    {
      config,
      schema: {
        tags,
        summary: 'An event and, for each webhook, whether it was delivered and why not',
        params,
        response: { 200: EventAnswer },
      },
    },
    (request) => explainEvent(db, request.actor.accountId, request.params.id),
  );
}
