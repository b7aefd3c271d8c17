/**
 * The connections of a process to Redis: one that publishes and one that listens, for all of its cells. Each is opened by
 * its first use, so that a worker has the first one only.
 */
import { randomUUID } from 'node:crypto';
import type { Redis, RedisOptions } from 'ioredis';
import type { Logger } from './logger.ts';

export interface RedisLinks {
  /** Of this process: it hears its own messages too. */
  readonly id: string;
  /** Whether both work: what others publish arrives at once. */
  readonly isReady: boolean;
  /** Lost while Redis is away. */
  publish(channel: string, text: string): Promise<void>;
  /** Ready to publish, or tried. */
  openOut(): Promise<void>;
  listen(channel: string, hear: (text: string) => void): Promise<() => void>;
  close(): Promise<void>;
}

const options: RedisOptions = { maxRetriesPerRequest: 1, enableOfflineQueue: false, lazyConnect: true };

export function createRedisLinks(url: string, logger: Logger): RedisLinks {
  const listeners = new Map<string, Set<(text: string) => void>>();
  let out: Promise<Redis> | null = null;
  let input: Promise<Redis> | null = null;
  let isOutReady = false;
  let isInputReady = false;
  let complained = false;

  const create = async (more: RedisOptions, noteReady: (isReady: boolean) => void): Promise<Redis> => {
    // Loaded only if configured: it takes 20 MB.
    const { Redis } = await import('ioredis');
    const client = new Redis(url, { ...options, ...more });
    client.on('error', (error) => {
      if (!complained) logger.warn({ err: error }, 'Redis is unreachable; live updates fall back to polling');
      complained = true;
    });
    client.on('ready', () => {
      complained = false;
      noteReady(true);
    });
    client.on('close', () => noteReady(false));
    return client;
  };
  // A service also starts without its Redis: ioredis keeps trying, and polling continues meanwhile.
  const connect = (client: Redis) => client.connect().catch(() => {});

  const openOut = (): Promise<Redis> => {
    out ??= create({}, (isReady) => {
      isOutReady = isReady;
    }).then(async (client) => {
      await connect(client);
      return client;
    });
    return out;
  };
  const subscribeAll = async (client: Redis) => {
    const channels = [...listeners.keys()];
    if (channels.length > 0) await client.subscribe(...channels).catch(() => {});
  };
  const openInput = (): Promise<Redis> => {
    input ??= create({ autoResubscribe: true, enableOfflineQueue: true }, (isReady) => {
      isInputReady = isReady;
    }).then(async (client) => {
      client.on('message', (channel: string, text: string) => {
        for (const hear of listeners.get(channel) ?? []) hear(text);
      });
      await connect(client);
      client.on('ready', () => void subscribeAll(client));
      return client;
    });
    return input;
  };

  return {
    id: randomUUID(),
    get isReady() {
      return isOutReady && isInputReady;
    },
    async openOut() {
      await openOut();
    },
    async publish(channel, text) {
      const client = await openOut();
      await client.publish(channel, text).catch(() => {});
    },
    async listen(channel, hear) {
      const hearing = listeners.get(channel) ?? new Set();
      listeners.set(channel, hearing.add(hear));
      const [client] = await Promise.all([openInput(), openOut()]);
      // While Redis is away it would wait; it is done when the connection is open.
      if (isInputReady) await client.subscribe(channel).catch(() => {});
      return () => {
        hearing.delete(hear);
        if (hearing.size > 0 || listeners.get(channel) !== hearing) return;
        listeners.delete(channel);
        if (isInputReady) void client.unsubscribe(channel).catch(() => {});
      };
    },
    async close() {
      for (const client of [await out, await input]) client?.disconnect();
    },
  };
}
