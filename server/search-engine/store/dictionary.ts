// Distinct texts under dense ids, append-only: concatenated bytes, character masks, bigram columns, and a hash table.
// One dictionary for tokens, one for words, one for the digits of phone numbers.

import { BigramColumns } from '../filters/bigram-columns.ts';
import { type Mask, maskOf } from '../filters/character-masks.ts';
import type { Archive } from '../snapshot/archive.ts';
import { Bytes, Integers } from './arrays.ts';
import { HashTable, mixHash } from './hash-table.ts';
import type { Texts } from './shared-texts.ts';

const shared = { isShared: true };

export class Dictionary {
  readonly bytes = new Bytes(shared);
  /** Where each text begins; one more entry than texts. */
  readonly starts = new Integers(shared);
  readonly masksLow = new Integers(shared);
  readonly masksHigh = new Integers(shared);
  readonly bigrams = new BigramColumns();
  readonly #table = new HashTable((id) =>
    hashOf(this.bytes.data, this.starts.data[id]!, this.starts.data[id + 1]!),
  );
  readonly #characters: Mask = { low: 0, high: 0 };

  constructor() {
    this.starts.push(0);
  }

  get size(): number {
    return this.starts.length - 1;
  }

  /** The current arrays: an array is replaced when it grows. */
  get texts(): Texts {
    return {
      bytes: this.bytes.data,
      starts: this.starts.data,
      masksLow: this.masksLow.data,
      masksHigh: this.masksHigh.data,
      bigrams: this.bigrams.bits,
    };
  }

  /** Whether other threads can read it: only once each of its arrays is large. */
  get isShared(): boolean {
    return Object.values(this.texts).every(({ buffer }) => buffer instanceof SharedArrayBuffer);
  }

  get byteLength(): number {
    const arrays = [this.bytes, this.starts, this.masksLow, this.masksHigh, this.bigrams, this.#table];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  archive(archive: Archive): void {
    for (const array of [this.bytes, this.starts, this.masksLow, this.masksHigh]) archive.array(array);
    this.bigrams.archive(archive);
    this.#table.archive(archive);
  }

  /** The id of source[from, to). It is new if it equals the previous size. */
  intern(source: Uint8Array, from: number, to: number): number {
    const hash = hashOf(source, from, to);
    const known = this.#find(hash, source, from, to);
    if (known !== -1) return known;
    const id = this.size;
    this.bytes.reserve(to - from);
    const own = this.bytes.data;
    let end = this.bytes.length;
    for (let at = from; at < to; at++) own[end++] = source[at]!;
    this.bytes.length = end;
    this.starts.push(end);
    maskOf(source, from, to, this.#characters);
    this.masksLow.push(this.#characters.low);
    this.masksHigh.push(this.#characters.high);
    this.bigrams.add(source, from, to);
    this.#table.add(hash, id);
    return id;
  }

  /** The id of source[from, to), or -1. */
  find(source: Uint8Array, from: number, to: number): number {
    return this.#find(hashOf(source, from, to), source, from, to);
  }

  #find(hash: number, source: Uint8Array, from: number, to: number): number {
    const table = this.#table;
    for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place)) {
      const id = table.idAt(place);
      if (this.#isAt(id, source, from, to)) return id;
    }
    return -1;
  }

  #isAt(id: number, source: Uint8Array, from: number, to: number): boolean {
    const start = this.starts.data[id]!;
    if (this.starts.data[id + 1]! - start !== to - from) return false;
    const own = this.bytes.data;
    for (let at = from, place = start; at < to; at++, place++) {
      if (own[place] !== source[at]) return false;
    }
    return true;
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return mixHash(hash);
}
