/**
 * Statements of one key share a connection while one of them is running, so that the next can be sent before the
 * previous result arrives: the server's process finds it waiting and continues instead of going to sleep.
 */
import type pg from 'pg';

interface Shared {
  client: Promise<pg.PoolClient>;
  using: number;
  isBroken: boolean;
}

export function createSharedConnections(
  take: () => Promise<pg.PoolClient>,
  isConnectionLoss: (error: unknown) => boolean,
) {
  const inUse = new Map<string, Shared>();
  const open = (key: string): Shared => {
    const shared = { client: take(), using: 0, isBroken: false };
    inUse.set(key, shared);
    return shared;
  };

  const leave = async (key: string, shared: Shared): Promise<void> => {
    // A broken connection is not given to others, but statements already sent on it still wait for its error.
    if ((shared.isBroken || shared.using === 0) && inUse.get(key) === shared) inUse.delete(key);
    if (shared.using > 0) return;
    const client = await shared.client.catch(() => null);
    client?.release(shared.isBroken);
  };

  return async <T>(key: string, ask: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const shared = inUse.get(key) ?? open(key);
    shared.using++;
    try {
      return await ask(await shared.client);
    } catch (error) {
      shared.isBroken ||= isConnectionLoss(error);
      throw error;
    } finally {
      shared.using--;
      void leave(key, shared);
    }
  };
}
