// What search's threads tell each other, and in which memory.

import { SLICE, type Texts } from '../store/shared-texts.ts';
import type { ScanMode } from './slice.ts';

/** Given to a thread when it starts. */
export type WorkerInit = {
  /** One number: the job in its upper half, the next slice that nobody has taken in its lower half. */
  claims: Int32Array;
  /**
   * The thread's own: first the job and how many of its slices are finished, in the same halves; then for each of
   * these its number and where its findings end. They begin where those of the slice before end.
   */
  log: Int32Array;
};

export type ScanRequest = {
  job: number;
  slices: number;
  scans: { texts: number; size: number; term: string; manner: ScanMode; among: Uint32Array | null }[];
  /** Arrays that the thread does not know yet, or that were replaced since. */
  texts: [number, Texts][];
  forgetsOthers: boolean;
  /** Where to write findings from now on; null: as before. */
  found: Uint32Array<SharedArrayBuffer> | null;
};

/** Less than the lower half holds, for those who come when none is left count on. */
export const MOST_SLICES = 0xf000;
export const jobOf = (claim: number): number => claim >>> 16;
export const sliceOf = (claim: number): number => claim & 0xffff;

export type Place = { scan: number; from: number };

/** The slices of all scans are numbered one after the other. */
export function placeOfSlice(scans: { size: number }[], slice: number): Place {
  let left = slice;
  for (const [scan, { size }] of scans.entries()) {
    const slices = Math.ceil(size / SLICE);
    if (left < slices) return { scan, from: left * SLICE };
    left -= slices;
  }
  throw new RangeError(`there is no slice ${slice}`);
}
