/**
 * Lets processes learn of changes before their next poll, and carries transient events (typing, presence). Uses Redis
 * if configured; otherwise polling and an unlogged table. Nothing that must not be lost depends on it.
 */
import { randomUUID } from 'node:crypto';
import type { LiveSignals } from '../../../contract/realtime.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/logger.ts';
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

export interface BusDeps {
  db: Db;
  logger: Logger;
  config: { redisUrl: string };
  onWake(): void;
  onSignal(signal: Signal): void;
}

type Envelope = { origin: string; signal?: Signal };

const channel = 'talkboard:live';
const announceEveryMs = 5;

export async function openBus(deps: BusDeps): Promise<SignalBus> {
  return deps.config.redisUrl ? openRedisBus(deps, deps.config.redisUrl) : openTableBus(deps);
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

async function openRedisBus({ logger, onWake, onSignal }: BusDeps, url: string): Promise<SignalBus> {
  const origin = randomUUID();
  const options = { maxRetriesPerRequest: 1, enableOfflineQueue: false, lazyConnect: true } as const;
  // Loaded only if configured: it takes 20 MB.
  const { Redis } = await import('ioredis');
  const out = new Redis(url, options);
  const input = new Redis(url, { ...options, autoResubscribe: true, enableOfflineQueue: true });
  let complained = false;
  for (const client of [out, input]) {
    client.on('error', (error) => {
      if (!complained) logger.warn({ err: error }, 'Redis is unreachable; live updates fall back to polling');
      complained = true;
    });
    client.on('ready', () => {
      complained = false;
    });
  }
  input.on('message', (_channel: string, text: string) => {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.origin === origin) return;
    if (envelope.signal) onSignal(envelope.signal);
    else onWake();
  });
  // A service also starts without its Redis: ioredis keeps trying, and polling continues meanwhile.
  await Promise.allSettled([out.connect(), input.connect().then(() => input.subscribe(channel))]);
  input.on('ready', () => void input.subscribe(channel).catch(() => {}));
  const publish = (envelope: Envelope) => out.publish(channel, JSON.stringify(envelope)).catch(() => 0);
  let waiting: NodeJS.Timeout | null = null;
  return {
    get wakesAtOnce() {
      return input.status === 'ready' && out.status === 'ready';
    },
    announce() {
      onWake();
      waiting ??= setTimeout(() => {
        waiting = null;
        void publish({ origin });
      }, announceEveryMs);
    },
    async send(signal) {
      onSignal(signal);
      await publish({ origin, signal });
    },
    read: async () => {},
    async close() {
      if (waiting) clearTimeout(waiting);
      out.disconnect();
      input.disconnect();
    },
  };
}
