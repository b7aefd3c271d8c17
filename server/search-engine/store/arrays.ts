// Typed arrays that grow. The index lives in these alone: outside the JavaScript heap, so that a million records cost
// the garbage collector nothing, and with an exact size that the memory budget can count.

type Store = Uint8Array | Uint32Array | Float64Array;

/** What search's threads read too lies in shared memory; a small account is not worth their while (threads.ts). */
export type Sharing = { isShared: boolean };
const SHARED_FROM_BYTES = 65_536;

function memory(bytes: number, isShared: boolean): ArrayBufferLike {
  return isShared && bytes >= SHARED_FROM_BYTES ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

abstract class Growable<T extends Store> {
  /** May be longer than `length`, and is replaced when it grows: never keep it across an append. */
  data: T;
  length = 0;

  constructor(data: T) {
    this.data = data;
  }

  protected abstract allocate(capacity: number): T;

  get byteLength(): number {
    return this.data.byteLength;
  }

  reserve(extra: number): void {
    const wanted = this.length + extra;
    if (wanted <= this.data.length) return;
    // A quarter more rather than double: at a million records the unused end would otherwise be a third of the memory.
    const grown = this.allocate(Math.max(wanted, this.data.length + (this.data.length >>> 2), 64));
    grown.set(this.data.subarray(0, this.length) as never);
    this.data = grown;
  }

  /** Makes `length` cover `count` places, new ones zero, and returns the index of the first new place. */
  extend(count: number): number {
    this.reserve(count);
    const first = this.length;
    this.data.fill(0, first, first + count);
    this.length += count;
    return first;
  }
}

/** `push` stands in each class rather than once above them: shared, it would see three kinds of array and run at half the speed. */
export class Bytes extends Growable<Uint8Array> {
  readonly #isShared: boolean;

  constructor({ isShared }: Sharing = { isShared: false }) {
    super(new Uint8Array(0));
    this.#isShared = isShared;
  }
  protected override allocate(capacity: number): Uint8Array {
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
  protected override allocate(capacity: number): Uint32Array {
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
  protected override allocate(capacity: number): Float64Array {
    return new Float64Array(capacity);
  }
  push(value: number): number {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length] = value;
    return this.length++;
  }
}
