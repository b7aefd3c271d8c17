/**
 * Group commit: writes of the same kind that come while others are being committed go together into the next
 * statement. Most of a small write's cost is not in its rows but in the statement around them (its start, its commit,
 * the wake-ups on both sides), so a busy service writes several times as much with the same work. A write that comes
 * alone is sent alone and waits for nobody.
 */
import type { Sql } from './sql.ts';

export interface SharedWrite<Item> {
  /** Writes with the same key may share a statement: it names the kind and everything that is not in the items. */
  key: string;
  /** Writes all items or none, and returns a row if and only if it wrote. */
  statement(items: readonly Item[]): Sql;
}

export interface SharedWrites {
  /** Whether it was written. Fails only for a reason of its own, not for one of those it shared a statement with. */
  add<Item>(write: SharedWrite<Item>, item: Item): Promise<boolean>;
}

/** So that some are read and sent while the commits of others are on their way to the disk. */
const statementsAtOnce = 4;
const mostItems = 100;

interface Waiting {
  item: unknown;
  resolve(written: boolean): void;
  reject(error: unknown): void;
}

interface Line {
  write: SharedWrite<unknown>;
  waiting: Waiting[];
  running: number;
  scheduled: boolean;
}

export function createSharedWrites(
  query: (statement: Sql) => Promise<unknown[]>,
  isConnectionLoss: (error: unknown) => boolean,
): SharedWrites {
  const lines = new Map<string, Line>();

  const send = async ({ write }: Line, batch: readonly Waiting[]): Promise<void> => {
    try {
      const rows = await query(write.statement(batch.map(({ item }) => item)));
      for (const { resolve } of batch) resolve(rows.length > 0);
    } catch (error) {
      // A statement that failed wrote nothing: each may try alone. After a lost connection nobody knows.
      if (batch.length > 1 && !isConnectionLoss(error))
        await Promise.all(batch.map((one) => sendAlone(write, one)));
      else for (const { reject } of batch) reject(error);
    }
  };

  const sendAlone = async (
    write: SharedWrite<unknown>,
    { item, resolve, reject }: Waiting,
  ): Promise<void> => {
    try {
      resolve((await query(write.statement([item]))).length > 0);
    } catch (error) {
      reject(error);
    }
  };

  const pump = (line: Line): void => {
    line.scheduled = false;
    while (line.running < statementsAtOnce && line.waiting.length > 0) {
      line.running++;
      void send(line, line.waiting.splice(0, mostItems)).then(() => {
        line.running--;
        if (line.waiting.length > 0) schedule(line);
        else if (line.running === 0) lines.delete(line.write.key);
      });
    }
  };

  /** After everything that has arrived by now was read, so that it goes along. */
  const schedule = (line: Line): void => {
    if (line.scheduled || line.running >= statementsAtOnce) return;
    line.scheduled = true;
    setImmediate(pump, line);
  };

  return {
    add: (write, item) =>
      new Promise((resolve, reject) => {
        let line = lines.get(write.key);
        if (!line) {
          line = { write: write as SharedWrite<unknown>, waiting: [], running: 0, scheduled: false };
          lines.set(write.key, line);
        }
        line.waiting.push({ item, resolve, reject });
        schedule(line);
      }),
  };
}
