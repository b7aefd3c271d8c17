/**
 * Statements with the same key share a connection while one of them runs, so that the next is sent before the previous
 * result arrives: the server's process finds it waiting and goes on, instead of going to sleep. A busy service creates an
 * eighth more records with it.
 */
import type pg from 'pg';

interface Shared {
  client: Promise<pg.PoolClient>;
  since: number;
  running: number;
  isBroken: boolean;
}

/** Then the key takes another connection: others wait for this one, and the service may have moved to another server. */
const longestMs = 100;

export function createSharedConnections(
  take: () => Promise<pg.PoolClient>,
  isConnectionLoss: (error: unknown) => boolean,
): <T>(key: string, run: (client: pg.PoolClient) => Promise<T>) => Promise<T> {
  const inUse = new Map<string, Shared>();
  const open = (key: string): Shared => {
    const shared = { client: take(), since: performance.now(), running: 0, isBroken: false };
    inUse.set(key, shared);
    return shared;
  };

  const leave = async (key: string, shared: Shared): Promise<void> => {
    shared.running--;
    // Nothing more is sent on a broken connection; what was sent still waits for its error.
    if ((shared.isBroken || shared.running === 0) && inUse.get(key) === shared) inUse.delete(key);
    if (shared.running > 0) return;
    const client = await shared.client.catch(() => null);
    client?.release(shared.isBroken);
  };

  return async (key, run) => {
    const known = inUse.get(key);
    const shared = known && performance.now() - known.since < longestMs ? known : open(key);
    shared.running++;
    try {
      return await run(await shared.client);
    } catch (error) {
      shared.isBroken ||= isConnectionLoss(error);
      throw error;
    } finally {
      await leave(key, shared);
    }
  };
}
