import {
  ChannelCreate,
  ChannelCreated,
  ChannelRead,
  ChannelUpdate,
  ChannelWithConnector,
  ConnectionQuery,
  WebhookSecretAnswer,
} from '../../../contract/channels.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../platform/db/db.ts';
import type { App } from '../../platform/http/http.ts';
import {
  changeConnectedChannel,
  createConnectedChannel,
  removeConnectedChannel,
} from './channels.connectors.ts';
import { loadDirectory } from './channels.directory.ts';
import { checkWebhookUrl, requireChannel, rotateChannelSecret, toChannelFor } from './channels.manage.ts';
import { pageById } from './channels.pages.ts';

const read = { access: { scope: 'messages:read', everyUser: true } } as const;
const manage = { access: { scope: 'manage', permission: 'channels.manage' } } as const;
const params = Type.Object({ id: Type.String() });
const listQuery = Type.Object(pageQuery(limits.listPage));

export function channelsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, secrets, config, connectors } = context;
  const tags = ['Channels'];

  app.post(
    '/channels',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a channel',
        querystring: ConnectionQuery,
        body: ChannelCreate,
        response: { 201: ChannelCreated },
      },
    },
    async (request, reply) => {
      const { actor, body, query } = request;
      await checkWebhookUrl(body.webhookUrl, config.outboundAllow);
      await connectors.checkAddress(body.connector);
      const create = (tx: Tx) =>
        createConnectedChannel(tx, actor, clock.now(), { secrets, connectors }, body);
      if (query.check && body.connector) await connectors.tryConnection(actor.accountId, create);
      return write(request, reply, async (tx) => ({ status: 201, body: await create(tx) }));
    },
  );

  app.get(
    '/channels',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the channels',
        querystring: listQuery,
        response: { 200: pageOf(ChannelRead) },
      },
    },
    async (request) => {
      const { accountId } = request.actor;
      const [{ channels }, connected] = await Promise.all([
        loadDirectory(db, accountId),
        connectors.all(db, accountId),
      ]);
      const shown = [...channels.values()].map((channel) =>
        toChannelFor(request.actor, channel, connected.get(channel.id) ?? null),
      );
      return pageById(shown, request.query, pageTokens, ['channels', accountId]);
    },
  );

  app.get(
    '/channels/:id',
    { config: read, schema: { tags, summary: 'One channel', params, response: { 200: ChannelRead } } },
    async (request) => {
      const { actor, params: place } = request;
      const channel = requireChannel(await loadDirectory(db, actor.accountId), place.id);
      return toChannelFor(actor, channel, await connectors.one(db, actor.accountId, channel.id));
    },
  );

  app.patch(
    '/channels/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change a channel',
        params,
        querystring: ConnectionQuery,
        body: ChannelUpdate,
        response: { 200: ChannelWithConnector },
      },
    },
    async (request, reply) => {
      const { actor, body, params: place, query } = request;
      await checkWebhookUrl(body.webhookUrl, config.outboundAllow);
      await connectors.checkAddress(body.connector);
      const change = (tx: Tx) => changeConnectedChannel(tx, actor, clock.now(), connectors, place.id, body);
      if (query.check && body.connector) await connectors.tryConnection(actor.accountId, change);
      return write(request, reply, async (tx) => ({ status: 200, body: await change(tx) }));
    },
  );

  app.delete(
    '/channels/:id',
    {
      config: manage,
      schema: { tags, summary: 'Delete a channel without conversations', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeConnectedChannel(tx, request.actor, clock.now(), context, request.params.id);
        return { status: 200, body: { message: 'channel deleted' } };
      }),
  );

  app.post(
    '/channels/:id/rotate-secret',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a new webhook secret; the old one stays valid for 24 hours',
        params,
        response: { 200: WebhookSecretAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const webhookSecret = await rotateChannelSecret(
          tx,
          request.actor,
          clock.now(),
          secrets,
          request.params.id,
        );
        return { status: 200, body: { webhookSecret } };
      }),
  );
}
