/**
 * Group commit: writes of the same kind that arrive while others are being committed share the next statement or
 * transaction. Most of the cost of a small write is the statement (start, commit, wake-ups on both sides), not its rows,
 * so a busy service writes several times as much with the same work. One batch of a key runs at a time: two or four made
 * smaller batches at the full price each and wrote a sixth less. A second one may be sent early when it is large enough,
 * so that the database need not wait for this process in between.
 */
import { createBatcher } from '../../concurrency/batcher.ts';
import { AppError } from '../../http/errors.ts';
import type { Logger } from '../../logger.ts';
import type { Db, Tx } from '../db.ts';

/** What somebody wants written. */
export interface Submission<Result> {
  /** In a transaction that holds nothing else, or in that of a request, which may hold its Idempotency-Key. */
  alone(tx: Tx): Promise<Result>;
  /** With others that are submitted at the same time. Null: nothing was written, it must be alone. */
  shared(): Promise<Result | null>;
}

export async function submit<Result>(db: Db, { alone, shared }: Submission<Result>): Promise<Result> {
  return (await shared()) ?? (await db.transaction(alone));
}

interface BatchedWriteOptions<Item, Result> {
  /** For the log. */
  what: string;
  logger: Logger;
  maxItems: number;
  /** See the batcher. */
  pipelineFrom?: number;
  /** Items of one key. Writes all or nothing, but those for which it returns null. One result for each, in order. */
  write(items: readonly Item[]): Promise<readonly (Result | null)[]>;
}

/** Items with the same key may share a write. Null: the item must be written alone. */
export function createBatchedWrite<Item, Result>({
  what,
  logger,
  maxItems,
  pipelineFrom,
  write,
}: BatchedWriteOptions<Item, Result>): (key: string, item: Item) => Promise<Result | null> {
  return createBatcher<Item, Result | null>({
    maxItems,
    ...(pipelineFrom && { pipelineFrom }),
    async run(_key, items) {
      try {
        return (await write(items)).map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        // After a lost connection nobody knows whether it was written.
        if (error instanceof AppError) throw error;
        // A statement failed, so nothing was written: each may try alone, and fails only for its own reasons.
        logger.warn({ err: error, count: items.length }, `a batch of ${what} failed; each is written alone`);
        return items.map(() => ({ status: 'fulfilled', value: null }));
      }
    },
  });
}
