// Distinct texts under dense ids, append-only: their bytes one after the other, their masks, and a hash table to find
// them again. One for tokens, one for words, one for phone numbers' digits.

import { Bytes, Integers } from './search.arrays.ts';
import { HashTable, mixHash } from './search.hash-table.ts';
import { type Mask, maskOf } from './search.masks.ts';

export class Dictionary {
  readonly bytes = new Bytes();
  /** Where each text begins; one more entry than texts. */
  readonly starts = new Integers();
  readonly masksLow = new Integers();
  readonly masksHigh = new Integers();
  readonly #table = new HashTable();
  readonly #mask: Mask = { low: 0, high: 0 };
  #source: Uint8Array = new Uint8Array(0);
  #from = 0;
  #to = 0;
  readonly #isSame = (id: number): boolean => {
    const start = this.starts.data[id]!;
    const length = this.#to - this.#from;
    if (this.starts.data[id + 1]! - start !== length) return false;
    const own = this.bytes.data;
    for (let i = 0; i < length; i++) {
      if (own[start + i] !== this.#source[this.#from + i]) return false;
    }
    return true;
  };

  constructor() {
    this.starts.push(0);
  }

  get size(): number {
    return this.starts.length - 1;
  }

  get byteLength(): number {
    const arrays = [this.bytes, this.starts, this.masksLow, this.masksHigh, this.#table];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The id of source[from, to). It is new when it equals the size before. */
  intern(source: Uint8Array, from: number, to: number): number {
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ source[at]!, 0x01000193);
    hash = mixHash(hash);
    this.#source = source;
    this.#from = from;
    this.#to = to;
    const known = this.#table.find(hash, this.#isSame);
    if (known !== -1) return known;
    const id = this.size;
    this.bytes.reserve(to - from);
    this.bytes.data.set(source.subarray(from, to), this.bytes.length);
    this.bytes.length += to - from;
    this.starts.push(this.bytes.length);
    maskOf(source, from, to, this.#mask);
    this.masksLow.push(this.#mask.low >>> 0);
    this.masksHigh.push(this.#mask.high >>> 0);
    this.#table.add(hash, id);
    return id;
  }
}
