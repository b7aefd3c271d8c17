// Open addressing over dense ids whose keys are held elsewhere: the caller says whether an id is the one it looks for.

const EMPTY = 0;

export class HashTable {
  /** id + 1 at each taken place. */
  #places = new Uint32Array(64);
  /** The whole hash beside it, so that growing and most misses need not look at the keys. */
  #hashes = new Uint32Array(64);
  #taken = 0;

  get byteLength(): number {
    return this.#places.byteLength * 2;
  }

  /** The id with this hash that `isSame` accepts, or -1. */
  find(hash: number, isSame: (id: number) => boolean): number {
    const places = this.#places;
    const mask = places.length - 1;
    for (let at = hash & mask; places[at] !== EMPTY; at = (at + 1) & mask) {
      if (this.#hashes[at] === hash && isSame(places[at]! - 1)) return places[at]! - 1;
    }
    return -1;
  }

  /** Only after `find` said -1. */
  add(hash: number, id: number): void {
    if ((this.#taken + 1) * 4 > this.#places.length * 3) this.#grow();
    this.#put(hash, id + 1);
    this.#taken++;
  }

  /** Closes the gap by moving later entries of the same run back, so that no marks of deletion pile up. */
  delete(hash: number, id: number): void {
    const mask = this.#places.length - 1;
    let gap = hash & mask;
    while (this.#places[gap] !== id + 1) {
      if (this.#places[gap] === EMPTY) return;
      gap = (gap + 1) & mask;
    }
    this.#taken--;
    for (let at = (gap + 1) & mask; this.#places[at] !== EMPTY; at = (at + 1) & mask) {
      const home = this.#hashes[at]! & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      this.#places[gap] = this.#places[at]!;
      this.#hashes[gap] = this.#hashes[at]!;
      gap = at;
    }
    this.#places[gap] = EMPTY;
  }

  #put(hash: number, place: number): void {
    const mask = this.#places.length - 1;
    let at = hash & mask;
    while (this.#places[at] !== EMPTY) at = (at + 1) & mask;
    this.#places[at] = place;
    this.#hashes[at] = hash;
  }

  #grow(): void {
    const places = this.#places;
    const hashes = this.#hashes;
    this.#places = new Uint32Array(places.length * 2);
    this.#hashes = new Uint32Array(places.length * 2);
    places.forEach((place, at) => {
      if (place !== EMPTY) this.#put(hashes[at]!, place);
    });
  }
}

/** The finishing step of MurmurHash3, so that the low bits depend on all. */
export function mixHash(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
