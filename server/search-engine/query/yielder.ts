// Long work gives way to what else the thread has to do. A query goes on for a while before it yields, the reading of
// a whole account hardly at all, so that one account's first search does not hold up every other account's.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Called between slices of work; a promise means that others wait and the work goes on after it. */
export type Yielder = () => Promise<void> | undefined;

const QUERY_SLICE_MS = 8;
export const BUILD_SLICE_MS = 1;

/** A pause that yields once the slice is used up. */
export function createYielder(sliceMs = QUERY_SLICE_MS): Yielder {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return undefined;
    return nextTurn().then(() => {
      started = performance.now();
    });
  };
}
