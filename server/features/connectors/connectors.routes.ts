import {
  Connector,
  ConnectorCheck,
  ConnectorLogPage,
  ConnectorScan,
} from '../../../contract/connectors.schemas.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { listLog, retryEntry } from './connectors.log.ts';
import {
  checkConnection,
  readScan,
  requireConnector,
  startConnecting,
  stopConnector,
} from './connectors.manage.ts';
import { toConnector } from './connectors.settings.ts';

const tags = ['Connectors'];
const manage = { access: { scope: 'manage', permission: 'channels.manage' } } as const;
const params = Type.Object({ id: Type.String() });

export function connectorsRoutes(app: App, context: Context): void {
  const { db, clock, write, config, links, pageTokens, accountConfig } = context;

  app.post(
    '/channels/:id/connector/check',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Ask the provider who we are',
        description: '200 also when the provider rejects the credentials or cannot be reached.',
        params,
        response: { 200: ConnectorCheck },
      },
    },
    async (request) => {
      const row = await requireConnector(db, request.actor.accountId, request.params.id);
      return checkConnection(links.openRow(row)!);
    },
  );

  app.post(
    '/channels/:id/connector/connect',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Connect again, also after an error',
        params,
        response: { 200: Connector },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: place } = request;
        await startConnecting(tx, actor, clock.now(), place.id);
        const row = await requireConnector(tx, actor.accountId, place.id);
        return { status: 200, body: toConnector(config, row) };
      }),
  );

  app.post(
    '/channels/:id/connector/disconnect',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Stop until it is connected again',
        description: 'The provider keeps what comes meanwhile, as far as it does so.',
        params,
        response: { 200: Connector },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: place } = request;
        await stopConnector(tx, actor, clock.now(), place.id);
        const row = await requireConnector(tx, actor.accountId, place.id);
        const opened = links.openRow(row);
        tx.afterCommit(() => void opened?.provider.disconnect(opened.link).catch(() => {}));
        return { status: 200, body: toConnector(config, row) };
      }),
  );

  app.get(
    '/channels/:id/connector/qr',
    {
      config: manage,
      schema: {
        tags,
        summary: 'The code that links a phone',
        description:
          'Both are null unless the state is `waiting_for_scan`. The code changes: ask again every few seconds.',
        params,
        response: { 200: ConnectorScan },
      },
    },
    async (request) =>
      readScan(context, await requireConnector(db, request.actor.accountId, request.params.id)),
  );

  app.get(
    '/channels/:id/connector/log',
    {
      config: manage,
      schema: {
        tags,
        summary: 'What came in and went out, newest first',
        description: 'Entries are kept for eight days.',
        params,
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: ConnectorLogPage },
      },
    },
    async (request) => {
      const { accountId } = request.actor;
      const { channelId } = await requireConnector(db, accountId, request.params.id);
      return listLog(db, accountId, pageTokens, channelId, request.query);
    },
  );

  app.post(
    '/channels/:id/connector/log/:entryId/retry',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Try a failed entry again',
        params: Type.Object({ id: Type.String(), entryId: Type.String() }),
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const { actor, params: place } = request;
      const { accountId } = actor;
      const { directory } = await accountConfig.fresh(accountId);
      return write(request, reply, async (tx) => {
        const { channelId } = await requireConnector(tx, accountId, place.id);
        const context = { accountId, now: clock.now(), directory };
        await retryEntry(tx, actor, context, channelId, place.entryId);
        return { status: 200, body: { message: 'the entry is tried again' } };
      });
    },
  );
}
