/**
 * Lets processes learn of each other's commits at once, and carries transient events (typing, presence). Uses Redis if
 * configured; otherwise reading often and an unlogged table. Nothing that must not be lost depends on it.
 */
import { randomUUID } from 'node:crypto';
import type { LiveSignals } from '../../../contract/realtime.ts';
import { homeCell } from '../../platform/cells/cell-settings.ts';
import type { Db } from '../../platform/db/db.ts';
import type { RedisLinks } from '../../platform/redis-links.ts';
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
  /** Whether other processes wake this one: it need not look for their changes itself. */
  readonly wakesAtOnce: boolean;
  send(signal: Signal): Promise<void>;
  /** Reads what others have sent through the table, up to the last one that the tick saw. */
  read(lastSignal: number): Promise<void>;
  close(): Promise<void>;
}

export interface WakeDeps {
  db: Db;
  /** Null: not configured. */
  redis: RedisLinks | null;
  cell: string;
}

export interface BusDeps extends WakeDeps {
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

const announcing = new WeakMap<Db, { users: number; end(): void }>();

/**
 * Tells the processes with connections of each commit of this one; many commits share a message. Without Redis they find
 * out by themselves. The app and the worker of a process share it. The returned function ends it.
 */
export async function announceCommits({ db, redis, cell }: WakeDeps): Promise<() => void> {
  if (!redis) return () => {};
  await redis.openOut();
  const shared = announcing.get(db) ?? { users: 0, end: publishCommits(db, redis, channelOf(cell)) };
  announcing.set(db, shared);
  shared.users++;
  return () => {
    if (--shared.users > 0) return;
    announcing.delete(db);
    shared.end();
  };
}

function publishCommits(db: Db, redis: RedisLinks, channel: string): () => void {
  let waiting: NodeJS.Timeout | undefined;
  const publish = () => {
    waiting = undefined;
    void redis.publish(channel, JSON.stringify({ origin: redis.id } satisfies Envelope));
  };
  const forget = db.onCommit(() => {
    waiting ??= setTimeout(publish, announceEveryMs);
  });
  return () => {
    forget();
    clearTimeout(waiting);
  };
}

function openTableBus({ db, onSignal }: BusDeps): SignalBus {
  const origin = randomUUID();
  let seen: number | null = null;
  return {
    wakesAtOnce: false,
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

async function openRedisBus(deps: BusDeps, redis: RedisLinks): Promise<SignalBus> {
  const { cell, onWake, onSignal } = deps;
  const { id: origin } = redis;
  const channel = channelOf(cell);
  const endAnnouncing = await announceCommits(deps);
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
    async send(signal) {
      onSignal(signal);
      await redis.publish(channel, JSON.stringify({ origin, signal } satisfies Envelope));
    },
    read: async () => {},
    async close() {
      endAnnouncing();
      stopListening();
    },
  };
}
