/**
 * The live part of a process that answers requests: its connections, their limits, and the check of who may stay.
 * Others than users (the chat widget's visitors) may subscribe to the hub in their own way.
 */
import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import type { WebSocket } from 'ws';
import { liveCloseCodes, liveLimits, type TicketAnswer } from '../../../contract/realtime.ts';
import { tagOf } from '../../platform/cells/account-tag.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { AppError, forbidden, unauthorized, unavailable } from '../../platform/http/errors.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RedisLinks } from '../../platform/redis-links.ts';
import { sha256 } from '../../platform/secrets/secrets.ts';
import type { UserActor } from '../accounts/accounts.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { LiveConnection } from './realtime.connection.ts';
import { LiveHub, type Subscriber } from './realtime.hub.ts';
import { selectHead } from './realtime.log.sql.ts';
import { liveMetrics } from './realtime.metrics.ts';
import { isAllowedOrigin } from './realtime.origin.ts';
import { insertTicket, selectLogins, takeTicket } from './realtime.people.sql.ts';
import { createPresence } from './realtime.presence.ts';
import { openBus, type Signal } from './realtime.wake.ts';

export interface LiveDeps {
  db: Db;
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  definitions: DefinitionsCache;
  config: { publicUrl: string; allowedOrigins: string[] };
  redis: RedisLinks | null;
  cell: string;
}

export interface Live {
  issueTicket(actor: UserActor): Promise<Static<typeof TicketAnswer>>;
  /** Throws unless the client may connect; the ticket is used up either way. */
  admit(ticket: string | undefined, origin: string | undefined): Promise<UserActor>;
  connect(socket: WebSocket, actor: UserActor): void;
  /** For connections of another kind. */
  subscribe(subscriber: Subscriber): Promise<() => void>;
  signal(signal: Signal): Promise<void>;
  /** Closes all connections with the code for a stopping service. */
  close(): Promise<void>;
}

const maxConnections = 10_000;
/** A revoked user is disconnected after this and one read. */
const watchEveryMs = 2_000;

export async function openLive(deps: LiveDeps): Promise<Live> {
  const { db, clock, logger } = deps;
  const counted = liveMetrics(deps.metrics);
  const connections = new Set<LiveConnection>();
  const hub = new LiveHub(deps);
  const bus = await openBus({ ...deps, onWake: hub.wake, onSignal: hub.hear });
  hub.bus = bus;
  const forgetCommits = db.onCommit(hub.wake);
  const presence = createPresence({ db, bus }, () => connections);
  let stopping = false;

  const complain = (error: unknown) => logger.warn({ err: error }, 'a live connection failed');
  const refuse = (reason: string, error: AppError): AppError => {
    counted.refused.inc({ reason });
    return error;
  };

  const watch = async (): Promise<void> => {
    if (connections.size === 0) return;
    const watched = [...connections];
    const logins = new Map(
      watched.map(({ actor }) => [actor.sessionId, { accountId: actor.accountId, loginId: actor.sessionId }]),
    );
    const good = await selectLogins(db, [...logins.values()], clock.now());
    const rights = new Map(good.map((one) => [one.loginId, rightsText(one)]));
    for (const connection of watched) {
      if (rights.get(connection.actor.sessionId) !== rightsText(connection.actor)) {
        connection.close('revoked', liveCloseCodes.revoked);
      }
    }
  };
  let watching = false;
  const watchTimer = setInterval(() => {
    if (watching) return;
    watching = true;
    watch()
      .catch(complain)
      .finally(() => {
        watching = false;
      });
  }, watchEveryMs);
  const heartbeat = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, liveLimits.heartbeatSeconds * 1_000);

  return {
    async issueTicket(actor) {
      // Before the first change of a database there is none: then the client reads again when it is connected.
      const head = (await selectHead(db, actor.accountId)) ?? { seq: 0, epoch: '' };
      const ticket = tagOf(actor.accountId) + randomBytes(32).toString('base64url');
      const expiresAt = await db.transaction((tx) =>
        insertTicket(tx, actor.accountId, {
          hash: sha256(ticket),
          userId: actor.id,
          loginId: actor.sessionId,
          seconds: liveLimits.ticketSeconds,
        }),
      );
      return { ticket, expiresAt, ...head };
    },
    async admit(ticket, origin) {
      if (stopping) throw refuse('stopping', unavailable('the service is stopping', 1));
      // Also used up by a page of another origin: a ticket that got there was stolen.
      const login = ticket ? await db.transaction((tx) => takeTicket(tx, sha256(ticket), clock.now())) : null;
      if (!isAllowedOrigin(origin, deps.config)) {
        throw refuse('origin', forbidden('this Origin is not allowed'));
      }
      if (!login) throw refuse('ticket', unauthorized('the ticket is missing, used or expired'));
      if (connections.size >= maxConnections) {
        throw refuse('full', unavailable('too many live connections', 5));
      }
      const own = [...connections].filter(({ actor }) => actor.id === login.id).length;
      if (own >= liveLimits.connectionsPerUser) {
        throw refuse('user_limit', new AppError(429, 'RATE_LIMITED', 'too many live connections', 5));
      }
      const { loginId, ...user } = login;
      return { kind: 'user', ...user, sessionId: loginId };
    },
    connect(socket, actor) {
      const connection = new LiveConnection(socket, actor, {
        db,
        subscribe: (one) => hub.add(one),
        onSent: () => counted.eventsSent.inc(),
        onClosed: (one, reason) => {
          if (!connections.delete(one)) return;
          hub.remove(one);
          counted.connections.dec();
          counted.closed.inc({ reason });
          if (!stopping) presence.leave(one).catch(complain);
        },
        onLive: (one) => void presence.arrive(one).catch(complain),
        onFrame: (one, frame) => void presence.hear(one, frame).catch(complain),
        onError: complain,
      });
      connections.add(connection);
      counted.connections.inc();
      if (stopping) connection.close('stopping', 1001);
    },
    async subscribe(subscriber) {
      await hub.add(subscriber);
      return () => hub.remove(subscriber);
    },
    signal: (signal) => bus.send(signal),
    async close() {
      stopping = true;
      forgetCommits();
      clearInterval(watchTimer);
      clearInterval(heartbeat);
      presence.close();
      const leaving = [...connections];
      for (const connection of leaving) connection.close('stopping', 1001);
      await Promise.allSettled(leaving.map((one) => presence.leave(one)));
      await hub.close();
      await bus.close();
    },
  };
}

/** To compare: a connection with other rights than its user has now ends. */
const rightsText = ({ role, permissions }: Pick<UserActor, 'role' | 'permissions'>) =>
  [role, ...(permissions ? ['own', ...permissions] : [])].join(' ');
