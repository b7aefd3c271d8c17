// One scan that is shared with other threads, from the point of view of the query's own thread.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { jobOf, type Place, placeOfSlice, sliceOf } from './protocol.ts';

/** Receives what a thread has found for one of the scans: found[from, to). */
export type Merge = (scan: number, found: Uint32Array, from: number, to: number) => void;

export class Job {
  readonly #claims: Int32Array;
  readonly #number: number;
  readonly #sizes: { size: number }[];
  readonly #isFinished: Uint8Array;
  readonly #logs: { log: Int32Array; found: Uint32Array; merged: number }[];
  readonly #patienceMs: number;
  readonly #end: (helped: number) => void;

  constructor(
    claims: Int32Array,
    number: number,
    sizes: { size: number }[],
    slices: number,
    logs: { log: Int32Array; found: Uint32Array }[],
    patienceMs: number,
    end: (helped: number) => void,
  ) {
    this.#claims = claims;
    this.#number = number;
    this.#sizes = sizes;
    this.#isFinished = new Uint8Array(slices);
    this.#logs = logs.map((each) => ({ ...each, merged: 0 }));
    this.#patienceMs = patienceMs;
    this.#end = end;
  }

  /** The next free slice, or -1. */
  take(): number {
    const slice = sliceOf(Atomics.load(this.#claims, 0));
    if (slice >= this.#isFinished.length) return -1;
    const seen = Atomics.add(this.#claims, 0, 1);
    return sliceOf(seen) < this.#isFinished.length ? sliceOf(seen) : -1;
  }

  finish(slice: number): void {
    this.#isFinished[slice] = 1;
  }

  placeOf(slice: number): Place {
    return placeOfSlice(this.#sizes, slice);
  }

  /** Merges the findings of the helpers, and returns the slices that none of them finished in time. */
  async gather(merge: Merge): Promise<number[]> {
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      for (const each of this.#logs) this.#mergeFrom(each, merge);
      const isLate = performance.now() >= until;
      if (isLate || !this.#isFinished.includes(0)) break;
      await nextTurn();
    }
    return [...this.#isFinished.keys()].filter((slice) => this.#isFinished[slice] === 0);
  }

  end(): void {
    this.#end(this.#logs.reduce((sum, { merged }) => sum + merged, 0));
  }

  #mergeFrom(each: { log: Int32Array; found: Uint32Array; merged: number }, merge: Merge): void {
    const { log, found } = each;
    const head = Atomics.load(log, 0);
    if (jobOf(head) !== this.#number) return;
    for (; each.merged < sliceOf(head); each.merged++) {
      const slice = log[each.merged * 2 + 1]!;
      const from = each.merged === 0 ? 0 : log[each.merged * 2]!;
      merge(this.placeOf(slice).scan, found, from, log[each.merged * 2 + 2]!);
      this.#isFinished[slice] = 1;
    }
  }
}
