/** For administrators: the look of a channel's widget, its allowed sites, and the secret that signs customers. */
import type { FastifyRequest } from 'fastify';
import { Type } from '../../../contract/shapes/type.ts';
import {
  WidgetIdentitySecret,
  WidgetSettings,
  WidgetSettingsUpdate,
} from '../../../contract/widget/widget.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changeWidget, requireWidget, rotateIdentitySecret, toSettings } from './widget-api.settings.ts';

const tags = ['Channels'];
const manage = { access: { scope: 'manage', permission: 'channels.manage' } } as const;
const params = Type.Object({ id: Type.String() });

export function widgetSettingsRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, config, usesOfHours } = context;
  const contextOf = (request: FastifyRequest) => ({
    baseUrl: config.hasPublicUrl ? config.publicUrl : `${request.protocol}://${request.host}`,
    isMailConfigured: config.mail !== null,
  });

  app.get(
    '/channels/:id/widget',
    {
      config: manage,
      schema: { tags, summary: 'The chat widget of a channel', params, response: { 200: WidgetSettings } },
    },
    async (request) => {
      const widget = await requireWidget(db, request.actor.accountId, request.params.id);
      return toSettings(widget, contextOf(request));
    },
  );

  app.patch(
    '/channels/:id/widget',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change the chat widget of a channel',
        params,
        body: WidgetSettingsUpdate,
        response: { 200: WidgetSettings },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body } = request;
        const widget = await changeWidget(tx, actor, clock.now(), request.params.id, body, usesOfHours);
        return { status: 200, body: toSettings(widget, contextOf(request)) };
      }),
  );

  app.post(
    '/channels/:id/widget/rotate-secret',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a new identity secret; the old one stops working immediately',
        params,
        response: { 200: WidgetIdentitySecret },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor } = request;
        const secret = await rotateIdentitySecret(tx, actor, clock.now(), secrets, request.params.id);
        return { status: 200, body: { identitySecret: secret } };
      }),
  );
}
