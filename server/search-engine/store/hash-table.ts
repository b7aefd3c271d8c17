// Open addressing over dense ids whose keys are stored elsewhere. The owner compares the keys in its own loop,
// because a comparison function took a third of the time of building an index:
//
// for (let place = table.seek(hash, hash); place !== -1; place = table.seek(hash, place + 1)) …table.idAt(place)…

import type { Archive } from '../snapshot/archive.ts';

const EMPTY = 0;

export class HashTable {
  /** Pairs of the full hash, so that growing and most misses need not read the keys, and the id + 1. */
  #pairs = new Uint32Array(128);
  #taken = 0;

  get byteLength(): number {
    return this.#pairs.byteLength;
  }

  archive(archive: Archive): void {
    archive.value(
      () => this.#taken,
      (taken) => {
        this.#taken = taken;
      },
    );
    archive.array({
      view: () => new Uint8Array(this.#pairs.buffer),
      allocate: (bytes) => {
        const places = bytes / 8;
        if (!Number.isInteger(Math.log2(places))) throw new Error('a hash table has a wrong size');
        this.#pairs = new Uint32Array(bytes / 4);
        return new Uint8Array(this.#pairs.buffer);
      },
    });
  }

  /** The next place, starting with the given one, that has this hash; -1 at the end of the run. */
  seek(hash: number, from: number): number {
    const pairs = this.#pairs;
    const mask = (pairs.length >>> 1) - 1;
    for (let place = from & mask; ; place = (place + 1) & mask) {
      if (pairs[place * 2 + 1] === EMPTY) return -1;
      if (pairs[place * 2] === hash) return place;
    }
  }

  idAt(place: number): number {
    return this.#pairs[place * 2 + 1]! - 1;
  }

  /** Only for a key that is not in the table. */
  add(hash: number, id: number): void {
    if ((this.#taken + 1) * 8 > this.#pairs.length * 3) this.#grow();
    this.#put(hash, id + 1);
    this.#taken++;
  }

  /** Closes the gap by moving later entries of the run back, so that no tombstones accumulate. */
  delete(hash: number, id: number): void {
    const pairs = this.#pairs;
    const mask = (pairs.length >>> 1) - 1;
    let gap = hash & mask;
    while (pairs[gap * 2 + 1] !== id + 1) {
      if (pairs[gap * 2 + 1] === EMPTY) return;
      gap = (gap + 1) & mask;
    }
    this.#taken--;
    for (let at = (gap + 1) & mask; pairs[at * 2 + 1] !== EMPTY; at = (at + 1) & mask) {
      const home = pairs[at * 2]! & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      pairs[gap * 2] = pairs[at * 2]!;
      pairs[gap * 2 + 1] = pairs[at * 2 + 1]!;
      gap = at;
    }
    pairs[gap * 2 + 1] = EMPTY;
  }

  #put(hash: number, entry: number): void {
    const pairs = this.#pairs;
    const mask = (pairs.length >>> 1) - 1;
    let place = hash & mask;
    while (pairs[place * 2 + 1] !== EMPTY) place = (place + 1) & mask;
    pairs[place * 2] = hash;
    pairs[place * 2 + 1] = entry;
  }

  #grow(): void {
    const before = this.#pairs;
    this.#pairs = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== EMPTY) this.#put(before[at]!, before[at + 1]!);
    }
  }
}

/** The finalizer of MurmurHash3: every low bit depends on all bits. */
export function mixHash(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
