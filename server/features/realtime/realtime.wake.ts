/**
 * Lets processes learn of changes before their next poll, and carries transient events (typing, presence). Uses Redis
 * if configured; otherwise polling and an unlogged table. Nothing that must not be lost depends on it.
 */
import { randomUUID } from 'node:crypto';
import type { LiveSignals } from '../../../contract/realtime.ts';
import { homeCell } from '../../platform/cells/cell-settings.ts';
import type { Db } from '../../platform/db/db.ts';
import type { RedisLinks } from '../../platform/redis/redis-links.ts';
import { insertSignal, selectSignals } from './realtime.log.sql.ts';

export type Signal = {
  [T in keyof LiveSignals]: {
    accountId: string;
    /** The board that decides who may see it. */
    kanbanId: string;
    /** The connection that it came from, which does not need it. */
    from: string | null;
    type: T;
    data: LiveSignals[T];
  };
}[keyof LiveSignals];

export interface SignalBus {
  /** Whether other processes wake this one: it may then poll less often. */
  readonly wakesAtOnce: boolean;
  /** Something was committed here. */
  announce(): void;
  send(signal: Signal): Promise<void>;
  /** Reads what others have sent through the table, up to the last one that the tick saw. */
  read(lastSignal: number): Promise<void>;
  close(): Promise<void>;
}

export interface Announcer {
  /** Tells the processes with connections that something was committed. */
  announce(): void;
  close(): Promise<void>;
}

export interface WakeDeps {
  /** Null: not configured. */
  redis: RedisLinks | null;
  cell: string;
}

export interface BusDeps extends WakeDeps {
  db: Db;
  onWake(): void;
  onSignal(signal: Signal): void;
}

type Envelope = { origin: string; signal?: Signal };

const announceEveryMs = 5;

/** Each cell has its own: a change in one does not concern the others. That of home has the name from before cells. */
function channelOf(cell: string): string {
  return cell === homeCell ? 'talkboard:live' : `talkboard:live:${cell}`;
}

export async function openBus(deps: BusDeps): Promise<SignalBus> {
  return deps.redis ? openRedisBus(deps, deps.redis) : openTableBus(deps);
}

/** For a process that needs to hear nothing. Without Redis the others find out by themselves. */
export async function openAnnouncer({ redis, cell }: WakeDeps): Promise<Announcer> {
  if (!redis) return { announce() {}, close: async () => {} };
  await redis.openOut();
  return announcer(redis, channelOf(cell), randomUUID());
}

/** Many commits share a message. */
function announcer(redis: RedisLinks, channel: string, origin: string): Announcer {
  let waiting: NodeJS.Timeout | null = null;
  return {
    announce() {
      waiting ??= setTimeout(() => {
        waiting = null;
        void redis.publish(channel, JSON.stringify({ origin } satisfies Envelope));
      }, announceEveryMs);
    },
    async close() {
      if (waiting) clearTimeout(waiting);
    },
  };
}

function openTableBus({ db, onWake, onSignal }: BusDeps): SignalBus {
  const origin = randomUUID();
  let seen: number | null = null;
  return {
    wakesAtOnce: false,
    announce: onWake,
    async send(signal) {
      onSignal(signal);
      await db.transaction((tx) => insertSignal(tx, JSON.stringify({ origin, signal } satisfies Envelope)));
    },
    async read(lastSignal) {
      // Events from before this process listened are over.
      const after = seen ?? lastSignal;
      seen = after;
      if (lastSignal <= after) return;
      const rows = await selectSignals(db, after);
      seen = Math.max(after, ...rows.map((row) => row.id));
      for (const { body } of rows) {
        const envelope = JSON.parse(body) as Envelope;
        if (envelope.origin !== origin && envelope.signal) onSignal(envelope.signal);
      }
    },
    close: async () => {},
  };
}

async function openRedisBus({ cell, onWake, onSignal }: BusDeps, redis: RedisLinks): Promise<SignalBus> {
  const origin = randomUUID();
  const channel = channelOf(cell);
  const { announce, close } = announcer(redis, channel, origin);
  const stopListening = await redis.listen(channel, (text) => {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.origin === origin) return;
    if (envelope.signal) onSignal(envelope.signal);
    else onWake();
  });
  return {
    get wakesAtOnce() {
      return redis.isReady;
    },
    announce() {
      onWake();
      announce();
    },
    async send(signal) {
      onSignal(signal);
      await redis.publish(channel, JSON.stringify({ origin, signal } satisfies Envelope));
    },
    read: async () => {},
    async close() {
      await close();
      stopListening();
    },
  };
}
