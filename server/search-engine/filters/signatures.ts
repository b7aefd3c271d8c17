// Signatures: a few characters at a fixed position of a match (a word start or a word break). There are few distinct
// signatures however many texts there are, so testing each signature is far cheaper than testing each text.

import type { Archive } from '../snapshot/archive.ts';
import { Integers } from '../store/arrays.ts';
import { HashTable, mixHash } from '../store/hash-table.ts';
import { maskBit } from './character-masks.ts';

/**
 * Characters in 6 bits, 0 after the end of the text. Terms and texts use the same classes, so equal characters stay
 * equal.
 */
export const NOTHING = 0;
export const CLASSES = 64;
const asciiClasses = Uint8Array.from({ length: 128 }, (_, codePoint) =>
  Math.min(maskBit(codePoint) + 1, CLASSES - 1),
);
export const classOf = (codePoint: number): number =>
  codePoint < 128 ? asciiClasses[codePoint]! : Math.min(maskBit(codePoint) + 1, CLASSES - 1);

/** Distinct signatures under dense ids. */
export class Signatures {
  readonly codes = new Integers();
  readonly #table = new HashTable((id) => mixHash(this.codes.data[id]!));

  get byteLength(): number {
    return this.codes.byteLength + this.#table.byteLength;
  }

  archive(archive: Archive): void {
    archive.array(this.codes);
    this.#table.archive(archive);
  }

  intern(code: number): number {
    const hash = mixHash(code);
    const table = this.#table;
    for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place)) {
      const id = table.idAt(place);
      if (this.codes.data[id] === code) return id;
    }
    const id = this.codes.push(code);
    table.add(hash, id);
    return id;
  }
}
