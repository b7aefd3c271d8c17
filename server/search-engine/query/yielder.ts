// Lets long work yield to the event loop. A query runs for a while before it yields, building a whole account's index
// hardly at all, so that one account's first search does not block the others.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Called between slices of work; if it returns a promise, others are waiting and the work continues after it. */
export type Yielder = () => Promise<void> | undefined;

const QUERY_SLICE_MS = 8;
export const BUILD_SLICE_MS = 1;

/** A yielder that yields once its time slice is used up. */
export function createYielder(sliceMs = QUERY_SLICE_MS): Yielder {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return undefined;
    return nextTurn().then(() => {
      started = performance.now();
    });
  };
}
