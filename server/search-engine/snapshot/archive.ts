// What of an index is written to a file: every structure hands its arrays and its few other values to an archive, in
// one order for writing and reading. So nothing can be written that is not read, or the other way round.

/** An array of the index: its bytes, or room for as many when it is read. */
export type ArchivedArray = {
  /** Only what is in use; never kept across a change of the index. */
  view(): Uint8Array;
  /** Makes room for as many bytes and returns it, to be filled. */
  allocate(bytes: number): Uint8Array;
  /** Called when the room is filled and its checksum was right. */
  filled?(): void;
};

export type Archive = {
  array(array: ArchivedArray): void;
  /** A small value that JSON can hold. `set` is called at once when an index is read, before anything that follows. */
  value<T>(current: () => T, set: (value: T) => void): void;
};

/** Numbers that the index has in another form. */
export function listOfNumbers(
  current: () => Iterable<number>,
  set: (numbers: Float64Array) => void,
): ArchivedArray {
  let room = new Float64Array(0);
  return {
    view: () => new Uint8Array(Float64Array.from(current()).buffer),
    allocate(bytes) {
      room = new Float64Array(bytes / 8);
      return new Uint8Array(room.buffer);
    },
    filled: () => set(room),
  };
}

/** Texts without line breaks, as ids. */
export function listOfTexts(current: () => Iterable<string>, set: (texts: string[]) => void): ArchivedArray {
  let room = Buffer.alloc(0);
  return {
    view: () => Buffer.from([...current()].join('\n')),
    allocate(bytes) {
      room = Buffer.alloc(bytes);
      return room;
    },
    filled: () => set(room.length === 0 ? [] : room.toString().split('\n')),
  };
}

/** Collects what is to be written. */
export class WriteArchive implements Archive {
  readonly arrays: ArchivedArray[] = [];
  readonly values: unknown[] = [];

  array(array: ArchivedArray): void {
    this.arrays.push(array);
  }

  value<T>(current: () => T): void {
    this.values.push(current());
  }
}

/** Hands out the values and collects the arrays that are to be filled. */
export class ReadArchive implements Archive {
  readonly arrays: ArchivedArray[] = [];
  readonly #values: readonly unknown[];
  #next = 0;

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  array(array: ArchivedArray): void {
    this.arrays.push(array);
  }

  value<T>(_current: () => T, set: (value: T) => void): void {
    if (this.#next >= this.#values.length) throw new Error('a value is missing');
    set(this.#values[this.#next++] as T);
  }

  requireEnd(): void {
    if (this.#next !== this.#values.length) throw new Error('a value is left over');
  }
}
