/** The slow statements of this process: their text, which has no values, how often they were slow and how long they took. */
import type { Prepared } from '../db/sql.ts';

export interface SlowStatement {
  text: string;
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

export function createSlowStatements(): SlowStatements {
  const kept = new Map<string, SlowStatement>();
  const list = () => [...kept.values()].sort((a, b) => b.totalMs - a.totalMs);
  return {
    note(query, ms) {
      const text = typeof query === 'string' ? query : query.text;
      const known = kept.get(text);
      if (known) {
        known.count++;
        known.totalMs += ms;
        known.maxMs = Math.max(known.maxMs, ms);
        known.lastAt = Date.now();
        return;
      }
      if (kept.size >= mostKept) kept.delete(list().at(-1)!.text);
      kept.set(text, { text, count: 1, totalMs: ms, maxMs: ms, lastAt: Date.now() });
    },
    list,
  };
}
