// Which pairs of neighbours texts have: for each pair a column of bits, one bit for each text. A question about a few
// pairs reads a few columns, 32 texts at a time; masks of each text had to be read for every text, and with 64 pairs to
// tell apart instead of 256 nearly twice as many texts were left to be compared (p95: 49,000 of 249,000 words, now 27,000).

import { Integers } from './search.arrays.ts';
import { countBits } from './search.masks.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';

const COLUMNS = 256;
/** Texts lie in blocks, so that new ones need no more than a further block. */
const BLOCK_TEXTS = 1024;
const WORDS = BLOCK_TEXTS / 32;
const BLOCK_SIZE = COLUMNS * WORDS;

/** Columns of which a text must have all of one set. */
export type ColumnSets = readonly (readonly number[])[];

const DIGIT_ZERO = 0x30;
const DIGIT_PAIRS = 100;

/**
 * Pairs of digits have columns of their own: numbers consist of nothing else, and are what most texts are. Other pairs
 * may share a column, so that it is a necessary condition and no more.
 */
export function columnOf(first: number, second: number): number {
  const tens = first - DIGIT_ZERO;
  const ones = second - DIGIT_ZERO;
  if (tens >= 0 && tens < 10 && ones >= 0 && ones < 10) return tens * 10 + ones;
  const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b), 0xc2b2ae35) >>> 15;
  return DIGIT_PAIRS + (hash % (COLUMNS - DIGIT_PAIRS));
}

export class PairColumns {
  readonly #bits = new Integers();
  readonly #block = new Uint32Array(WORDS);
  #texts = 0;

  get byteLength(): number {
    return this.#bits.byteLength;
  }

  /** The next text, bytes[from, to). */
  add(bytes: Uint8Array, from: number, to: number): void {
    const text = this.#texts++;
    if (text % BLOCK_TEXTS === 0) this.#bits.extend(BLOCK_SIZE);
    const bits = this.#bits.data;
    const base = Math.floor(text / BLOCK_TEXTS) * BLOCK_SIZE + ((text % BLOCK_TEXTS) >>> 5);
    const bit = 1 << (text & 31);
    let previous = -1;
    for (let at = from; at < to; ) {
      const codePoint = codePointAt(bytes, at);
      at += byteWidth(codePoint);
      if (previous !== -1) bits[base + columnOf(previous, codePoint) * WORDS]! |= bit;
      previous = codePoint;
    }
  }

  /**
   * Writes the ids of texts from one to another (`from` at the beginning of a block) that have all columns of some set,
   * ascending, and returns their number. `among` leaves all others out, a bit for each text.
   */
  select(sets: ColumnSets, from: number, to: number, found: Uint32Array, among: Uint32Array | null): number {
    let count = 0;
    for (let first = from; first < to; first += BLOCK_TEXTS) {
      const place = first >>> 5;
      const words = Math.min(WORDS, (to - first + 31) >>> 5);
      if (among !== null && !hasBits(among, place, place + words)) continue;
      const block = this.#unite(sets, (first / BLOCK_TEXTS) * BLOCK_SIZE);
      for (let word = 0; word < words; word++) {
        let bits = among === null ? block[word]! : block[word]! & among[place + word]!;
        for (; bits !== 0; bits &= bits - 1) {
          const id = first + word * 32 + 31 - Math.clz32(bits & -bits);
          if (id < to) found[count++] = id;
        }
      }
    }
    return count;
  }

  /** About how many texts have all columns of some set: every fourth block tells. */
  estimate(sets: ColumnSets): number {
    let count = 0;
    for (let base = 0; base < this.#bits.length; base += BLOCK_SIZE * 4) {
      const block = this.#unite(sets, base);
      for (let word = 0; word < WORDS; word++) count += countBits(block[word]!);
    }
    return Math.min(count * 4, this.#texts);
  }

  /** For the texts of a block whether they have all columns of some set. */
  #unite(sets: ColumnSets, base: number): Uint32Array {
    const bits = this.#bits.data;
    const block = this.#block.fill(0);
    for (let i = 0; i < sets.length; i++) {
      const set = sets[i]!;
      if (set.length === 0) return block.fill(0xffffffff);
      const first = base + set[0]! * WORDS;
      const second = base + set[set.length > 1 ? 1 : 0]! * WORDS;
      for (let word = 0; word < WORDS; word++) {
        let all = bits[first + word]! & bits[second + word]!;
        for (let j = 2; j < set.length; j++) all &= bits[base + set[j]! * WORDS + word]!;
        block[word]! |= all;
      }
    }
    return block;
  }
}

function hasBits(bits: Uint32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bits[at] !== 0) return true;
  return false;
}
