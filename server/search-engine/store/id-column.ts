// UUIDs by slot, 16 bytes each, and the way back from an id to its slot.

import { Integers } from './arrays.ts';
import { HashTable, mixHash } from './hash-table.ts';

const HYPHEN = 0x2d;
const DIGIT_ZERO = 0x30;
const LETTER_A = 0x61;

export class IdColumn {
  /** Four per slot, so that comparing them compares the ids. */
  readonly #ids = new Integers();
  readonly #table = new HashTable((slot) => hashOfId(this.#ids.data, slot * 4));
  readonly #wanted = new Uint32Array(4);

  get byteLength(): number {
    return this.#ids.byteLength + this.#table.byteLength;
  }

  /** The slot of an id, or -1. */
  find(id: string): number {
    const hash = this.#parse(id);
    const table = this.#table;
    for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place)) {
      const slot = table.idAt(place);
      if (this.#isWanted(slot)) return slot;
    }
    return -1;
  }

  /** The id of the next slot; `find` must not know it. */
  push(id: string): void {
    const hash = this.#parse(id);
    const at = this.#ids.extend(4);
    this.#ids.data.set(this.#wanted, at);
    this.#table.add(hash, at >>> 2);
  }

  /** `find` no longer returns the slot, which keeps its id. */
  forget(slot: number): void {
    this.#table.delete(hashOfId(this.#ids.data, slot * 4), slot);
  }

  /** Highest id first, in text order. */
  compare(a: number, b: number): number {
    const ids = this.#ids.data;
    for (let i = 0; i < 4; i++) {
      const difference = ids[b * 4 + i]! - ids[a * 4 + i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  at(slot: number): string {
    let hex = '';
    for (let i = 0; i < 4; i++) hex += this.#ids.data[slot * 4 + i]!.toString(16).padStart(8, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #parse(id: string): number {
    this.#wanted.fill(0);
    for (let i = 0, digits = 0; i < id.length; i++) {
      const code = id.charCodeAt(i);
      if (code === HYPHEN) continue;
      const digit = code < LETTER_A ? code - DIGIT_ZERO : code - LETTER_A + 10;
      this.#wanted[digits >>> 3] = (this.#wanted[digits >>> 3]! << 4) | digit;
      digits++;
    }
    return hashOfId(this.#wanted, 0);
  }

  #isWanted(slot: number): boolean {
    const ids = this.#ids.data;
    const wanted = this.#wanted;
    const at = slot * 4;
    return (
      ids[at] === wanted[0] &&
      ids[at + 1] === wanted[1] &&
      ids[at + 2] === wanted[2] &&
      ids[at + 3] === wanted[3]
    );
  }
}

function hashOfId(words: Uint32Array, at: number): number {
  let hash = 0;
  for (let i = 0; i < 4; i++) hash = Math.imul(hash ^ words[at + i]!, 0x01000193) ^ (hash >>> 15);
  return mixHash(hash);
}
