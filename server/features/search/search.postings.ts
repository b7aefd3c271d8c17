// Lists of numbers under dense ids: word to tokens, token to values, value to records. Each list lies in one piece, so
// that walking a long one is as fast as memory. Most hold a single number (an e-mail address occurs once), which is
// then kept in the place of the list's address.

import { Integers } from './search.arrays.ts';

export class Postings {
  readonly counts = new Integers();
  /** The only element of a list of one, else where the list begins in the pool. */
  readonly places = new Integers();
  readonly pool = new Integers();
  /** Abandoned pieces by the logarithm of their size, used again before the pool grows. */
  readonly #free: number[][] = Array.from({ length: 32 }, () => []);

  get byteLength(): number {
    return this.counts.byteLength + this.places.byteLength + this.pool.byteLength;
  }

  /** Adds an empty list and returns its id. */
  addList(): number {
    this.places.push(0);
    return this.counts.push(0);
  }

  append(list: number, element: number): void {
    const count = this.counts.data[list]!;
    if (count === 0) this.places.data[list] = element;
    else {
      if (count === 1) {
        const place = this.#allocate(1);
        this.pool.data[place] = this.places.data[list]!;
        this.places.data[list] = place;
      } else if (isPowerOfTwo(count)) this.#move(list, count, sizeClass(count), sizeClass(count) + 1);
      this.pool.data[this.places.data[list]! + count] = element;
    }
    this.counts.data[list] = count + 1;
  }

  each(list: number, visit: (element: number) => void): void {
    const count = this.counts.data[list]!;
    const place = this.places.data[list]!;
    if (count === 1) visit(place);
    else for (let at = place; at < place + count; at++) visit(this.pool.data[at]!);
  }

  /** The element appended last, or -1. */
  last(list: number): number {
    const count = this.counts.data[list]!;
    if (count < 2) return count === 0 ? -1 : this.places.data[list]!;
    return this.pool.data[this.places.data[list]! + count - 1]!;
  }

  /** Whether the next append has to move the list: the moment to drop elements that are no longer true. */
  isFull(list: number): boolean {
    const count = this.counts.data[list]!;
    return count > 1 && isPowerOfTwo(count);
  }

  /** Keeps the elements that pass, and gives back what memory the shorter list no longer needs. */
  retain(list: number, keeps: (element: number) => boolean): void {
    const count = this.counts.data[list]!;
    const place = this.places.data[list]!;
    if (count < 2) {
      if (count === 1 && !keeps(place)) this.counts.data[list] = 0;
      return;
    }
    const pool = this.pool.data;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const element = pool[place + i]!;
      if (keeps(element)) pool[place + kept++] = element;
    }
    this.counts.data[list] = kept;
    if (kept < 2) {
      this.places.data[list] = pool[place]!;
      this.#release(place, sizeClass(count));
    } else if (sizeClass(kept) < sizeClass(count)) this.#move(list, kept, sizeClass(count), sizeClass(kept));
  }

  /** Pieces change hands whole: halved, they would never again serve a long list, and the pool would grow for ever. */
  #move(list: number, count: number, size: number, newSize: number): void {
    const from = this.places.data[list]!;
    const to = this.#allocate(newSize);
    this.pool.data.copyWithin(to, from, from + count);
    this.#release(from, size);
    this.places.data[list] = to;
  }

  #allocate(size: number): number {
    return this.#free[size]!.pop() ?? this.pool.extend(2 ** size);
  }

  #release(place: number, size: number): void {
    this.#free[size]!.push(place);
  }
}

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;

/** The logarithm of the smallest power of two that holds `count`, which is at least 2. */
const sizeClass = (count: number): number => 32 - Math.clz32(count - 1);
