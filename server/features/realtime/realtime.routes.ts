import type { FastifyRequest } from 'fastify';
import { TicketAnswer } from '../../../contract/realtime.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { AppError } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import type { UserActor } from '../accounts/accounts.ts';
import type { Live } from './realtime.live.ts';

const tags = ['Live'];

/** `app` already has @fastify/websocket: others may have sockets too. */
export function realtimeRoutes(app: App, live: Live): void {
  const admitted = new WeakMap<FastifyRequest, UserActor>();

  app.post(
    '/ws/tickets',
    {
      config: { access: { user: true } },
      schema: {
        tags,
        summary: 'Get a ticket for a live connection',
        description: 'For `/ws?ticket=…`, once, within 30 seconds.',
        response: { 201: TicketAnswer },
      },
    },
    async (request, reply) => {
      reply.code(201);
      return live.issueTicket(request.actor as UserActor);
    },
  );

  app.route({
    method: 'GET',
    url: '/ws',
    config: { access: { public: true }, neverBusy: true },
    schema: {
      // OpenAPI cannot describe a WebSocket; docs/realtime.md does.
      hide: true,
      querystring: Type.Object({ ticket: Type.Optional(Type.String({ maxLength: 256 })) }),
    },
    preHandler: async (request) => {
      if (!request.ws)
        throw new AppError(426, 'UPGRADE_REQUIRED', 'this is a WebSocket: see docs/realtime.md');
      const { ticket } = request.query as { ticket?: string };
      admitted.set(request, await live.admit(ticket, request.headers.origin));
    },
    handler: async () => {
      throw new AppError(426, 'UPGRADE_REQUIRED', 'this is a WebSocket: see docs/realtime.md');
    },
    wsHandler: (socket, request) => live.connect(socket, admitted.get(request)!),
  });
}
