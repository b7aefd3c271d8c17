// Lists of numbers under dense ids: word to tokens, token to values, value to records. Each list is contiguous after
// its length, so that a long one is read at memory speed. Most lists have one element (an e-mail address occurs
// once), which is stored in place of the offset.

import { type Archive, listOfNumbers } from '../snapshot/archive.ts';
import { Integers } from './arrays.ts';

/**
 * An entry with this bit is the only element of its list; otherwise it is the offset of the list's length in the
 * pool.
 */
export const ONLY = 0x80000000;
/** This offset holds a zero: the empty list. */
const EMPTY = 0;

export class Postings {
  readonly entries = new Integers();
  readonly pool = new Integers();
  /** Freed blocks by the logarithm of their size, reused before the pool grows. */
  #free: number[][] = Array.from({ length: 32 }, () => []);

  constructor() {
    this.pool.push(0);
  }

  get byteLength(): number {
    return this.entries.byteLength + this.pool.byteLength;
  }

  archive(archive: Archive): void {
    archive.array(this.entries);
    archive.array(this.pool);
    archive.array(
      listOfNumbers(
        () => this.#free.flatMap((places) => [places.length, ...places]),
        (numbers) => {
          let at = 0;
          this.#free = this.#free.map(() => {
            const from = at + 1;
            at = from + numbers[at]!;
            return Array.from(numbers.subarray(from, at));
          });
        },
      ),
    );
  }

  /** The number of lists. */
  get size(): number {
    return this.entries.length;
  }

  /** Adds an empty list and returns its id. */
  addList(): number {
    return this.entries.push(EMPTY);
  }

  /** How many elements a list has. */
  count(list: number): number {
    const entry = this.entries.data[list]!;
    return entry >= ONLY ? 1 : this.pool.data[entry]!;
  }

  append(list: number, element: number): void {
    const entry = this.entries.data[list]!;
    if (entry === EMPTY) {
      this.entries.data[list] = element + ONLY;
      return;
    }
    if (entry >= ONLY) {
      const place = this.#allocate(sizeClass(2));
      this.pool.data[place] = 1;
      this.pool.data[place + 1] = entry - ONLY;
      this.entries.data[list] = place;
    } else if (this.isFull(list)) {
      const size = sizeClass(this.pool.data[entry]!);
      this.#move(list, size + 1);
      this.#release(entry, size);
    }
    const place = this.entries.data[list]!;
    const count = this.pool.data[place]! + 1;
    this.pool.data[place + count] = element;
    this.pool.data[place] = count;
  }

  each(list: number, visit: (element: number) => void): void {
    const entry = this.entries.data[list]!;
    if (entry >= ONLY) visit(entry - ONLY);
    else {
      const pool = this.pool.data;
      const end = entry + pool[entry]!;
      for (let at = entry + 1; at <= end; at++) visit(pool[at]!);
    }
  }

  /** The elements of a list, until the next change. */
  view(list: number): Uint32Array {
    const entry = this.entries.data[list]!;
    if (entry >= ONLY) return Uint32Array.of(entry - ONLY);
    return this.pool.data.subarray(entry + 1, entry + 1 + this.pool.data[entry]!);
  }

  /** The element appended last, or -1. */
  last(list: number): number {
    const entry = this.entries.data[list]!;
    if (entry === EMPTY) return -1;
    return entry >= ONLY ? entry - ONLY : this.pool.data[entry + this.pool.data[entry]!]!;
  }

  /** Whether the next append has to move the list: the moment to drop stale elements. */
  isFull(list: number): boolean {
    const count = this.count(list);
    return count > 1 && (count & (count + 1)) === 0;
  }

  /** Keeps the elements that pass, and frees the memory that the shorter list no longer needs. */
  retain(list: number, keeps: (element: number) => boolean): void {
    const entry = this.entries.data[list]!;
    if (entry === EMPTY) return;
    if (entry >= ONLY) {
      if (!keeps(entry - ONLY)) this.entries.data[list] = EMPTY;
      return;
    }
    const pool = this.pool.data;
    const count = pool[entry]!;
    let kept = 0;
    for (let at = entry + 1; at <= entry + count; at++) {
      const element = pool[at]!;
      if (keeps(element)) pool[entry + ++kept] = element;
    }
    pool[entry] = kept;
    if (kept < 2) {
      this.entries.data[list] = kept === 0 ? EMPTY : pool[entry + 1]! + ONLY;
      this.#release(entry, sizeClass(count));
    } else if (sizeClass(kept) < sizeClass(count)) {
      this.#move(list, sizeClass(kept));
      this.#release(entry, sizeClass(count));
    }
  }

  /** Blocks are reused whole: if split, they could never hold a long list again, and the pool would grow forever. */
  #move(list: number, newSize: number): void {
    const from = this.entries.data[list]!;
    const to = this.#allocate(newSize);
    this.pool.data.copyWithin(to, from, from + 1 + this.pool.data[from]!);
    this.entries.data[list] = to;
  }

  #allocate(size: number): number {
    return this.#free[size]!.pop() ?? this.pool.extend(2 ** size);
  }

  #release(place: number, size: number): void {
    this.#free[size]!.push(place);
  }
}

/** The logarithm of the smallest power of two that holds `count` numbers, at least 2, and their number. */
const sizeClass = (count: number): number => 32 - Math.clz32(count);
