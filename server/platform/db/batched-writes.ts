/**
 * Group commit: writes of the same kind that come while others are being committed go together into the next
 * statement. Most of a small write's cost is not in its rows but in the statement around them (its start, its commit,
 * the wake-ups on both sides), so a busy service writes several times as much with the same work. One statement of a
 * kind is worked on at a time: two or four made smaller groups, each at the price of a whole one, and wrote a sixth less.
 * But a second one is sent when it is worth it, so that the server need not wait for this process in between.
 */
import { createBatcher } from '../concurrency/batcher.ts';
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

const maxItems = 100;
/** Of 2, 3, 5 and 7 the best of a trial with 16 clients, a twentieth more than when none is sent ahead. */
const pipelineFrom = 3;

interface Write {
  write: SharedWrite<unknown>;
  item: unknown;
}

export interface SharedWritesDeps {
  /** Over the connection that statements of the key share. */
  sendTogether(key: string, statement: Sql): Promise<unknown[]>;
  /** Over a connection of its own. */
  sendAlone(statement: Sql): Promise<unknown[]>;
  isConnectionLoss(error: unknown): boolean;
}

export function createSharedWrites({
  sendTogether,
  sendAlone,
  isConnectionLoss,
}: SharedWritesDeps): SharedWrites {
  const statementOf = (writes: readonly Write[]) =>
    writes[0]!.write.statement(writes.map(({ item }) => item));
  const group = createBatcher<Write, boolean>({
    maxItems,
    pipelineFrom,
    async run(key, writes) {
      try {
        const rows = await sendTogether(key, statementOf(writes));
        return writes.map(() => ({ status: 'fulfilled', value: rows.length > 0 }));
      } catch (error) {
        // A statement that failed wrote nothing: each may try alone. After a lost connection nobody knows.
        if (isConnectionLoss(error)) throw error;
        if (writes.length === 1) return [{ status: 'rejected', reason: error }];
        return Promise.allSettled(
          writes.map(async (write) => (await sendAlone(statementOf([write]))).length > 0),
        );
      }
    },
  });
  return {
    add: (write, item) => group(write.key, { write: write as SharedWrite<unknown>, item }),
  };
}
