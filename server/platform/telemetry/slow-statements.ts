/** The slow statements of this process: their text, which has no values, how often they were slow and how long they took. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Prepared } from '../db/sql.ts';

export interface SlowStatement {
  text: string;
  /** It ran in a step of housekeeping, where no request waits for it. */
  isHousekeeping: boolean;
  /** How often it was slow. */
  count: number;
  totalMs: number;
  maxMs: number;
  /** Unix epoch milliseconds. */
  lastAt: number;
}

export interface SlowStatements {
  note(query: string | Prepared, ms: number): void;
  /** The one that took the most time first. */
  list(): SlowStatement[];
}

/** A statement from here on is slow. */
export const slowMs = 200;
const mostKept = 100;
/** Their time is that of the server or its disk, not of a query. */
const leftOut = /^\s*(?:begin|commit)\b/i;

const housekeeping = new AsyncLocalStorage<boolean>();
export const asHousekeeping = <T>(run: () => Promise<T>): Promise<T> => housekeeping.run(true, run);
/** Work that a step only starts, such as an enqueued job, does not count. */
export const outsideHousekeeping = (run: () => void): void =>
  housekeeping.getStore() ? housekeeping.run(false, run) : run();

export function createSlowStatements(): SlowStatements {
  const kept = new Map<string, SlowStatement>();
  const list = () => [...kept.values()].sort((a, b) => b.totalMs - a.totalMs);
  return {
    note(query, ms) {
      const text = typeof query === 'string' ? query : query.text;
      if (leftOut.test(text)) return;
      const isHousekeeping = housekeeping.getStore() ?? false;
      const key = keyOf({ text, isHousekeeping });
      const known = kept.get(key);
      if (known) {
        known.count++;
        known.totalMs += ms;
        known.maxMs = Math.max(known.maxMs, ms);
        known.lastAt = Date.now();
        return;
      }
      if (kept.size >= mostKept) kept.delete(keyOf(list().at(-1)!));
      kept.set(key, { text, isHousekeeping, count: 1, totalMs: ms, maxMs: ms, lastAt: Date.now() });
    },
    list,
  };
}

/** A statement that requests use too has two entries. */
const keyOf = ({ text, isHousekeeping }: Pick<SlowStatement, 'text' | 'isHousekeeping'>) =>
  `${isHousekeeping} ${text}`;
