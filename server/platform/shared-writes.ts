/**
 * Group commit: writes of the same kind that come while others are being committed go together into the next
 * statement. Most of a small write's cost is not in its rows but in the statement around them (its start, its commit,
 * the wake-ups on both sides), so a busy service writes several times as much with the same work. A write that comes
 * alone is sent alone and waits for nobody. One statement of a kind at a time: two or four made smaller groups, each at
 * the price of a whole one, and wrote a sixth less.
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

const mostItems = 100;

interface Waiting {
  item: unknown;
  resolve(written: boolean): void;
  reject(error: unknown): void;
}

export function createSharedWrites(
  query: (statement: Sql) => Promise<unknown[]>,
  isConnectionLoss: (error: unknown) => boolean,
): SharedWrites {
  /** By key, while a statement is on its way or about to go: who goes with the next. */
  const lines = new Map<string, Waiting[]>();

  const send = async (write: SharedWrite<unknown>, batch: readonly Waiting[]): Promise<void> => {
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

  const run = async (write: SharedWrite<unknown>, line: Waiting[]): Promise<void> => {
    while (line.length > 0) await send(write, line.splice(0, mostItems));
    lines.delete(write.key);
  };

  return {
    add: (write, item) =>
      new Promise((resolve, reject) => {
        const line = lines.get(write.key);
        if (line) {
          line.push({ item, resolve, reject });
          return;
        }
        const begun = [{ item, resolve, reject }];
        lines.set(write.key, begun);
        // After everything that has arrived by now was read, so that it goes along.
        setImmediate(run, write as SharedWrite<unknown>, begun);
      }),
  };
}
