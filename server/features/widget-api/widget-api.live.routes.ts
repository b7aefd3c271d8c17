/** `/widget/live`: the widget's WebSocket. */
import { widgetCloseCodes, widgetLimits } from '../../../contract/widget/widget-protocol.ts';
import { AppError, unavailable } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { customerMayRead, selectChangedForCustomer } from '../messages/messages.ts';
import { findSession, findTypingBoard } from '../sessions/sessions.ts';
import { readHistory } from './widget-api.chat.ts';
import {
  type CloseReason,
  type ConnectionDeps,
  closeWithinMs,
  VisitorConnection,
} from './widget-api.connection.ts';
import type { Admitted, RefusalReason } from './widget-api.guard.ts';
import { widgetMetrics } from './widget-api.metrics.ts';
import { addressOf, type WidgetDeps } from './widget-api.routes.ts';
import { createSlots, type Slots } from './widget-api.slots.ts';
import { createTypingNotices } from './widget-api.typing.ts';
import { toVisitorMessage, toVisitorState } from './widget-api.view.ts';
import type { Visitor } from './widget-api.visitor.ts';

const maxConnections = 10_000;
/**
 * A change has the time at which it was started, and may be committed this much later. The widget recognises what is
 * read twice by its id.
 */
const overlapMs = 60_000;
const countedAs: { [reason in CloseReason]?: RefusalReason } = {
  token: 'token',
  connections: 'connections',
  bad_message: 'frame',
  flood: 'flood',
};

const isAdmitted = (one: Admitted | null): one is Admitted => one !== null && !one.widget.isSuspended;

export function visitorLiveRoutes(app: App, deps: WidgetDeps): void {
  const { logger, guard, feed, db, config } = deps;
  const { connections: openWidgets } = widgetMetrics(deps.metrics);
  const connections = new Set<VisitorConnection>();
  // The newest connection is rejected, not the oldest closed: widgets reconnect, and would displace each other
  // forever.
  const slots = {
    withoutToken: createSlots(widgetLimits.connectionsWithoutToken),
    visitors: createSlots(widgetLimits.connectionsPerVisitor),
    addresses: createSlots(config.widgetSockets.perAddress),
    accounts: createSlots(config.widgetSockets.perAccount),
  };
  const expected = () => new AppError(426, 'UPGRADE_REQUIRED', 'this is a WebSocket: see docs/widget.md');
  const complain = (error: unknown) => logger.warn({ err: error }, 'a connection of a widget failed');

  /** What each was admitted by. */
  const lettersOf = new WeakMap<object, { token: string; defaultAgentId: string }>();

  const heartbeat = setInterval(() => {
    for (const connection of connections) {
      connection.beat();
      // A signature may have been revoked since.
      const { visitor } = connection;
      if (visitor) recheck(connection, visitor).catch(complain);
    }
  }, widgetLimits.heartbeatSeconds * 1_000);
  heartbeat.unref();
  const recheck = async (connection: VisitorConnection, visitor: Visitor): Promise<void> => {
    if (visitor.generation === null) return;
    const token = lettersOf.get(connection)?.token;
    if (token && !isAdmitted(await guard.recognise(token)))
      connection.close('token', widgetCloseCodes.refused);
  };
  app.addHook('preClose', async () => {
    clearInterval(heartbeat);
    typing.close();
    for (const connection of connections) connection.close('stopping', 1001);
  });

  const begin: ConnectionDeps['begin'] = async (listener, visitor, { position, since }) => {
    const { accountId, sessionId } = visitor;
    await feed.add(listener);
    const time = deps.clock.now();
    const agents = await feed.agentsOf(accountId);
    const session = await findSession(db, accountId, sessionId);
    const state = toVisitorState(session, agents, lettersOf.get(listener)?.defaultAgentId ?? '');
    if (position > 0) {
      const place = { position, time: since - overlapMs };
      const most = widgetLimits.maxMissed;
      const changed = await selectChangedForCustomer(db, accountId, sessionId, place, most + 1);
      if (changed.length <= most) {
        const messages = changed.filter(customerMayRead).map((one) => toVisitorMessage(one, agents));
        return { type: 'hello', reset: false, messages, older: null, state, time };
      }
    }
    return {
      type: 'hello',
      reset: true,
      state,
      time,
      ...(await readHistory(db, deps.pageTokens, agents, visitor)),
    };
  };

  const typing = createTypingNotices({
    async send({ accountId, sessionId }, isTyping) {
      const kanbanId = await findTypingBoard(db.quick, accountId, sessionId);
      if (kanbanId === null) return;
      const data = { sessionId, person: null, isTyping };
      await feed.typing({ accountId, kanbanId, from: null, type: 'typing', data });
    },
    onError: complain,
  });

  app.route({
    method: 'GET',
    url: '/widget/live',
    config: { access: { public: true }, neverBusy: true },
    schema: { hide: true },
    preHandler: async (request) => {
      if (!request.ws) throw expected();
      if (connections.size >= maxConnections) {
        guard.refused('full');
        throw unavailable('too many live connections', 5);
      }
    },
    handler: async () => {
      throw expected();
    },
    wsHandler: (socket, request) => {
      const address = addressOf(request);
      /** What it holds; given back when it ends. */
      const held = new Map<Slots, string>();
      const take = (kind: Slots, key: string): boolean => {
        if (!kind.take(key)) return false;
        held.set(kind, key);
        return true;
      };
      const release = (kind: Slots) => {
        if (held.has(kind)) kind.release(held.get(kind)!);
        held.delete(kind);
      };
      const releaseAll = () => {
        for (const kind of [...held.keys()]) release(kind);
      };
      if (!take(slots.addresses, address) || !take(slots.withoutToken, address)) {
        releaseAll();
        guard.refused('connections');
        socket.on('error', () => {});
        socket.close(widgetCloseCodes.tooMany, 'connections');
        setTimeout(() => socket.terminate(), closeWithinMs).unref();
        return;
      }
      const connection: VisitorConnection = new VisitorConnection(socket, {
        async admit(token) {
          const admitted = await guard.recognise(token);
          if (!isAdmitted(admitted)) return 'token';
          const { accountId, sessionId } = admitted.visitor;
          const visitor = `${accountId}/${sessionId}`;
          // It may have been closed, and its slot released, while the token was checked.
          if (!connections.has(connection)) return 'token';
          if (!take(slots.visitors, visitor) || !take(slots.accounts, accountId)) return 'connections';
          release(slots.withoutToken);
          await guard.count(accountId, 'connect', address, sessionId);
          lettersOf.set(connection, { token, defaultAgentId: admitted.widget.defaultAgentId });
          return admitted.visitor;
        },
        begin,
        onTyping: typing.say,
        onError: complain,
        onClosed(one, reason) {
          if (one.visitor) feed.remove(one);
          if (!connections.delete(one)) return;
          releaseAll();
          openWidgets.dec();
          const counted = countedAs[reason];
          if (counted) guard.refused(counted);
        },
      });
      connections.add(connection);
      openWidgets.inc();
    },
  });
}
