// Typed arrays that grow. The whole index uses them: they are outside the JavaScript heap, so a million records cost
// the garbage collector nothing, and their exact size counts towards the memory budget.

import type { ArchivedArray } from '../snapshot/archive.ts';

type Store = Uint8Array | Uint32Array | Float64Array;

/** Arrays that search threads read are in shared memory; small accounts are not worth a thread (threads.ts). */
export type Sharing = { isShared: boolean };
const SHARED_FROM_BYTES = 65_536;

function memory(bytes: number, isShared: boolean): ArrayBufferLike {
  return isShared && bytes >= SHARED_FROM_BYTES ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

abstract class Growable<T extends Store> implements ArchivedArray {
  /** May be longer than `length`, and is replaced when it grows: never keep it across an append. */
  data: T;
  length = 0;

  constructor(data: T) {
    this.data = data;
  }

  protected abstract make(capacity: number): T;

  get byteLength(): number {
    return this.data.byteLength;
  }

  view(): Uint8Array {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.data;
    return new Uint8Array(buffer, byteOffset, this.length * BYTES_PER_ELEMENT);
  }

  /** With some room at the end: otherwise the first change after a read would copy the whole index. */
  allocate(bytes: number): Uint8Array {
    const length = bytes / this.data.BYTES_PER_ELEMENT;
    if (!Number.isInteger(length)) throw new Error('an array has a part of an element');
    this.data = this.make(length + (length >>> 4) + (length > 0 ? 64 : 0));
    this.length = length;
    return this.view();
  }

  reserve(extra: number): void {
    const wanted = this.length + extra;
    if (wanted <= this.data.length) return;
    // Grows by a quarter, not to double: at a million records the unused end would be a third of the memory.
    const grown = this.make(Math.max(wanted, this.data.length + (this.data.length >>> 2), 64));
    grown.set(this.data.subarray(0, this.length) as never);
    this.data = grown;
  }

  /** Extends `length` by `count` zeroed elements and returns the index of the first new one. */
  extend(count: number): number {
    this.reserve(count);
    const first = this.length;
    this.data.fill(0, first, first + count);
    this.length += count;
    return first;
  }
}

/**
 * `push` is repeated in each class instead of shared: a shared one sees three kinds of array and runs at half the
 * speed.
 */
export class Bytes extends Growable<Uint8Array> {
  readonly #isShared: boolean;

  constructor({ isShared }: Sharing = { isShared: false }) {
    super(new Uint8Array(0));
    this.#isShared = isShared;
  }
  protected override make(capacity: number): Uint8Array {
    return new Uint8Array(memory(capacity, this.#isShared));
  }
  push(value: number): number {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length] = value;
    return this.length++;
  }
}

export class Integers extends Growable<Uint32Array> {
  readonly #isShared: boolean;

  constructor({ isShared }: Sharing = { isShared: false }) {
    super(new Uint32Array(0));
    this.#isShared = isShared;
  }
  protected override make(capacity: number): Uint32Array {
    return new Uint32Array(memory(capacity * 4, this.#isShared));
  }
  push(value: number): number {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length] = value;
    return this.length++;
  }
}

export class Numbers extends Growable<Float64Array> {
  constructor() {
    super(new Float64Array(0));
  }
  protected override make(capacity: number): Float64Array {
    return new Float64Array(capacity);
  }
  push(value: number): number {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length] = value;
    return this.length++;
  }
}
