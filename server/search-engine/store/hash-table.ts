// Open addressing over dense ids whose keys are stored elsewhere. The owner compares the keys in its own loop,
// because a comparison function took a third of the time of building an index:
//
// for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place)) …table.idAt(place)…

import type { Archive } from '../snapshot/archive.ts';

const EMPTY = 0;
const FEWEST_PLACES = 64;
/** Of all places. */
const MOST_TAKEN = 0.75;

export class HashTable {
  /**
   * One number for each place: the id + 1 in the lower bits, and above it as many of the lowest bits of the hash as there
   * is room for, so that most misses need not read a key. Their number changes when the table grows. The whole hash
   * would take twice the memory.
   */
  #entries = new Uint32Array(FEWEST_PLACES);
  #idBits = bitsFor(FEWEST_PLACES);
  #taken = 0;
  readonly #hashOf: (id: number) => number;

  /** `hashOf` is asked for ids that are in the table. */
  constructor(hashOf: (id: number) => number) {
    this.#hashOf = hashOf;
  }

  get byteLength(): number {
    return this.#entries.byteLength;
  }

  archive(archive: Archive): void {
    archive.value(
      () => [this.#taken, this.#idBits] as const,
      ([taken, idBits]) => {
        this.#taken = taken;
        this.#idBits = idBits;
      },
    );
    archive.array({
      view: () => new Uint8Array(this.#entries.buffer),
      allocate: (bytes) => {
        if (bytes % 4 !== 0 || bytes / 4 <= this.#taken) throw new Error('a hash table has a wrong size');
        this.#entries = new Uint32Array(bytes / 4);
        return new Uint8Array(this.#entries.buffer);
      },
    });
  }

  /** The first place that may have a key with this hash, or -1. */
  seek(hash: number): number {
    return this.#find(hash, homeOf(hash, this.#entries.length));
  }

  /** The next place after this one, or -1. */
  seekOn(hash: number, place: number): number {
    return this.#find(hash, place + 1);
  }

  idAt(place: number): number {
    return lowBits(this.#entries[place]!, this.#idBits) - 1;
  }

  /** Only for a key that is not in the table. */
  add(hash: number, id: number): void {
    // Grows by half, not to double: with a million records the empty places would be a tenth of the memory.
    if (this.#taken + 1 > this.#entries.length * MOST_TAKEN) {
      const places = this.#entries.length + (this.#entries.length >>> 1);
      this.#layOut(places, Math.max(this.#idBits, bitsFor(places)));
    }
    // Ids that were deleted may not be used again, so an id can be larger than the table.
    if (bitsFor(id) > this.#idBits) this.#layOut(this.#entries.length, bitsFor(id));
    this.#put(hash, id + 1);
    this.#taken++;
  }

  /** Closes the gap by moving later entries of the run back, so that no tombstones accumulate. */
  delete(hash: number, id: number): void {
    const entries = this.#entries;
    const places = entries.length;
    let gap = homeOf(hash, places);
    while (this.idAt(gap) !== id) {
      if (entries[gap] === EMPTY) return;
      gap = gap + 1 === places ? 0 : gap + 1;
    }
    this.#taken--;
    for (let at = gap; ; ) {
      at = at + 1 === places ? 0 : at + 1;
      if (entries[at] === EMPTY) break;
      const home = homeOf(this.#hashOf(this.idAt(at)), places);
      if (distance(home, at, places) < distance(gap, at, places)) continue;
      entries[gap] = entries[at]!;
      gap = at;
    }
    entries[gap] = EMPTY;
  }

  #find(hash: number, from: number): number {
    const entries = this.#entries;
    const idBits = this.#idBits;
    const wanted = hash << idBits;
    for (let place = from; ; place++) {
      if (place === entries.length) place = 0;
      const entry = entries[place]!;
      if (entry === EMPTY) return -1;
      if ((entry ^ wanted) >>> idBits === 0) return place;
    }
  }

  #put(hash: number, entry: number): void {
    const entries = this.#entries;
    let place = homeOf(hash, entries.length);
    while (entries[place] !== EMPTY) place = place + 1 === entries.length ? 0 : place + 1;
    entries[place] = (hash << this.#idBits) | entry;
  }

  /** In the order of ids, because the keys are stored in this order. */
  #layOut(places: number, idBits: number): void {
    const isTaken = new Uint8Array(2 ** this.#idBits);
    for (const entry of this.#entries) isTaken[lowBits(entry, this.#idBits)] = 1;
    this.#entries = new Uint32Array(places);
    this.#idBits = idBits;
    for (let entry = 1; entry < isTaken.length; entry++) {
      if (isTaken[entry] === 1) this.#put(this.#hashOf(entry - 1), entry);
    }
  }
}

/** Enough for the id + 1. */
const bitsFor = (id: number): number => 32 - Math.clz32(id + 1);

const lowBits = (entry: number, bits: number): number => entry & ((1 << bits) - 1);

/** By the highest bits of the hash: the number of places need not be a power of two. */
const homeOf = (hash: number, places: number): number => Math.floor((hash * places) / 0x100000000);

const distance = (from: number, to: number, places: number): number =>
  to >= from ? to - from : to - from + places;

/** The finalizer of MurmurHash3: every bit depends on all bits. */
export function mixHash(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
