// The messages and shared memory of the search threads.

import { SLICE, type Texts } from '../store/shared-texts.ts';
import type { ScanMode } from './slice.ts';

/** Passed to a thread when it starts. */
export type WorkerInit = {
  /** One number: the job in its upper half, the next free slice in its lower half. */
  claims: Int32Array;
  /**
   * The thread's own log: first the job and how many of its slices are finished, in the same halves; then for each
   * slice its number and the end of its findings. They begin where those of the previous slice end.
   */
  log: Int32Array;
};

export type ScanRequest = {
  job: number;
  slices: number;
  scans: {
    texts: number;
    size: number;
    term: string;
    typos: 0 | 1 | 2;
    mode: ScanMode;
    among: Uint32Array | null;
  }[];
  /** Arrays that the thread does not know yet, or that were replaced. */
  texts: [number, Texts][];
  forgetsOthers: boolean;
  /** Where to write findings from now on; null: unchanged. */
  found: Uint32Array<SharedArrayBuffer> | null;
};

/** Less than the lower half can hold: threads that find no free slice still increment the counter. */
export const MAX_SLICES = 0xf000;
export const jobOf = (claim: number): number => claim >>> 16;
export const sliceOf = (claim: number): number => claim & 0xffff;

export type Place = { scan: number; from: number };

/** The slices of all scans are numbered consecutively. */
export function placeOfSlice(scans: { size: number }[], slice: number): Place {
  let left = slice;
  for (const [scan, { size }] of scans.entries()) {
    const slices = Math.ceil(size / SLICE);
    if (left < slices) return { scan, from: left * SLICE };
    left -= slices;
  }
  throw new RangeError(`there is no slice ${slice}`);
}
