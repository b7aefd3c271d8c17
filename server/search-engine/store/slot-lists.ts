import type { Archive } from '../snapshot/archive.ts';
import { Integers } from './arrays.ts';

/** A contiguous list of numbers for each slot, so that reading consecutive slots is as fast as memory. */
export class SlotLists {
  /** Where a slot's list begins in the pool, and how many numbers it has. */
  readonly starts = new Integers();
  readonly counts = new Integers();
  readonly pool = new Integers();
  /** The capacity of each slot, which only grows: edits back and forth take no new memory. */
  readonly #capacities = new Integers();

  get byteLength(): number {
    return (
      this.starts.byteLength + this.counts.byteLength + this.pool.byteLength + this.#capacities.byteLength
    );
  }

  archive(archive: Archive): void {
    for (const array of [this.starts, this.counts, this.pool, this.#capacities]) archive.array(array);
  }

  addSlot(): void {
    this.starts.push(0);
    this.counts.push(0);
    this.#capacities.push(0);
  }

  set(slot: number, numbers: readonly number[]): void {
    const capacity = this.#capacities.data[slot]!;
    if (numbers.length > capacity) {
      // A list that has grown once tends to grow again: adding half its size avoids a freed block per step.
      const wanted = capacity === 0 ? numbers.length : numbers.length + (numbers.length >>> 1);
      this.starts.data[slot] = this.pool.extend(wanted);
      this.#capacities.data[slot] = wanted;
    }
    this.pool.data.set(numbers, this.starts.data[slot]!);
    this.counts.data[slot] = numbers.length;
  }

  of(slot: number): Uint32Array {
    const start = this.starts.data[slot]!;
    return this.pool.data.subarray(start, start + this.counts.data[slot]!);
  }

  has(slot: number, wanted: number): boolean {
    const start = this.starts.data[slot]!;
    const end = start + this.counts.data[slot]!;
    const pool = this.pool.data;
    for (let at = start; at < end; at++) if (pool[at] === wanted) return true;
    return false;
  }
}
