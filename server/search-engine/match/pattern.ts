// One term, prepared for comparison with many texts: its distance to any substring, or to any beginning, of a text.
// Distances are optimal string alignment (insertion, deletion, substitution, swap of neighbours, one each), computed a
// column at a time in the bits of one 32-bit word (Hyyrö's bit-vector algorithm with its transposition term).

import { isWordCharacter } from '../store/text.ts';
import { byteWidth, codePointAt, encodeUtf8 } from '../store/utf8.ts';

/**
 * Code points of the pattern that fit into 32 bits. A longer pattern is filtered by its first ones, then verified in
 * full.
 */
export const WORD_BITS = 31;
const SLOTS = 128;

export class Pattern {
  readonly codePoints: readonly number[];
  readonly bytes: Uint8Array;
  readonly length: number;
  /** By character: bit i is set if the pattern has it at position i. */
  readonly ascii = new Int32Array(128);
  // Open addressing over at most 32 distinct code points; 0 is never stored, texts hold no NUL that a term could hold.
  readonly #keys = new Int32Array(SLOTS);
  readonly #positions = new Int32Array(SLOTS);

  constructor(text: string) {
    this.codePoints = Array.from(text, (character) => character.codePointAt(0)!);
    this.bytes = encodeUtf8(text);
    this.length = this.codePoints.length;
    this.codePoints.slice(0, WORD_BITS).forEach((codePoint, i) => {
      if (codePoint < 128) this.ascii[codePoint]! |= 1 << i;
      else {
        const slot = this.#slotOf(codePoint);
        this.#keys[slot] = codePoint;
        this.#positions[slot]! |= 1 << i;
      }
    });
  }

  /** The lowest distance to any substring of bytes[from, to), or limit + 1 if it exceeds the limit. */
  substringDistance(bytes: Uint8Array, from: number, to: number, limit: number): number {
    const rows = Math.min(this.length, WORD_BITS);
    const found = this.#scan(bytes, from, to, limit, rows, 0, to);
    if (found > limit || this.length <= WORD_BITS) return found;
    return this.#tableDistance(bytes, from, to, limit, false);
  }

  /** The lowest distance to any prefix of bytes[from, to), or limit + 1 if it exceeds the limit. */
  prefixDistance(bytes: Uint8Array, from: number, to: number, limit: number): number {
    const rows = Math.min(this.length, WORD_BITS);
    const found = this.#scan(bytes, from, to, limit, rows, 1, from + (rows + limit) * 4);
    if (found > limit || this.length <= WORD_BITS) return found;
    return this.#tableDistance(bytes, from, to, limit, true);
  }

  /**
   * The lowest distance to any substring, or 3 if it is more than two. An automaton of three rows (zero, one, two
   * typos) keeps no score and takes 4 ns per byte; the general distance above takes 7. For a pattern longer than 32
   * code points it covers only its start.
   */
  typosUpToTwo(bytes: Uint8Array, from: number, to: number): number {
    const ascii = this.ascii;
    let none = 1;
    let one = 3;
    let two = 7;
    let noneBefore = 0;
    let oneBefore = 0;
    let previous = 0;
    let reachedByNone = 0;
    let reachedByOne = 0;
    let reachedByTwo = 0;
    for (let at = from; at < to; ) {
      let character = bytes[at]!;
      let matches: number;
      if (character < 0x80) {
        at++;
        matches = ascii[character]! << 1;
      } else {
        character = codePointAt(bytes, at);
        at += byteWidth(character);
        matches = this.#positions[this.#slotOf(character)]! << 1;
      }
      const swap = (matches << 1) & previous;
      const nextNone = ((none << 1) & matches) | 1;
      const nextOne =
        ((one << 1) & matches) | none | ((none | nextNone) << 1) | ((noneBefore << 2) & swap) | 1;
      two = ((two << 1) & matches) | one | ((one | nextOne) << 1) | ((oneBefore << 2) & swap) | 1;
      noneBefore = none;
      oneBefore = one;
      none = nextNone;
      one = nextOne;
      previous = matches;
      reachedByNone |= none;
      reachedByOne |= one;
      reachedByTwo |= two;
    }
    const accepted = 1 << Math.min(this.length, WORD_BITS);
    if ((reachedByTwo & accepted) === 0) return 3;
    if ((reachedByOne & accepted) === 0) return 2;
    return (reachedByNone & accepted) === 0 ? 1 : 0;
  }

  /** Whether some prefix of bytes[from, to) is within `typos` (0 to 2); most are rejected after a few characters. */
  isPrefixWithin(bytes: Uint8Array, from: number, to: number, typos: number): boolean {
    const ascii = this.ascii;
    const accepted = 1 << Math.min(this.length, WORD_BITS);
    let none = 1;
    let one = typos > 0 ? 3 : 0;
    let two = typos > 1 ? 7 : 0;
    let noneBefore = 0;
    let oneBefore = 0;
    let previous = 0;
    for (let at = from; at < to && (none | one | two) !== 0; ) {
      let character = bytes[at]!;
      let matches: number;
      if (character < 0x80) {
        at++;
        matches = ascii[character]! << 1;
      } else {
        character = codePointAt(bytes, at);
        at += byteWidth(character);
        matches = this.#positions[this.#slotOf(character)]! << 1;
      }
      const swap = (matches << 1) & previous;
      const nextNone = (none << 1) & matches;
      const nextOne =
        typos === 0
          ? 0
          : ((one << 1) & matches) | none | ((none | nextNone) << 1) | ((noneBefore << 2) & swap);
      if (typos > 1) two = ((two << 1) & matches) | one | ((one | nextOne) << 1) | ((oneBefore << 2) & swap);
      noneBefore = none;
      oneBefore = one;
      none = nextNone;
      one = nextOne;
      previous = matches;
      if (((none | one | two) & accepted) !== 0) {
        return this.length <= WORD_BITS || this.prefixDistance(bytes, from, to, typos) <= typos;
      }
    }
    return false;
  }

  /**
   * Whether the start of some word of bytes[from, to) is within `typos` (1 or 2), for a pattern of up to 32 code
   * points. The automaton restarts at every word without dropping earlier states: its states are sets.
   */
  startsWordWithin(bytes: Uint8Array, from: number, to: number, typos: number): boolean {
    const ascii = this.ascii;
    const accepted = 1 << this.length;
    const begunTwo = typos > 1 ? 7 : 0;
    let none = 0;
    let one = 0;
    let two = 0;
    let noneBefore = 0;
    let oneBefore = 0;
    let previous = 0;
    let isInWord = false;
    for (let at = from; at < to; ) {
      let character = bytes[at]!;
      let matches: number;
      if (character < 0x80) {
        at++;
        matches = ascii[character]! << 1;
      } else {
        character = codePointAt(bytes, at);
        at += byteWidth(character);
        matches = this.#positions[this.#slotOf(character)]! << 1;
      }
      if (!isWordCharacter(character)) isInWord = false;
      else if (!isInWord) {
        isInWord = true;
        none |= 1;
        one |= 3;
        two |= begunTwo;
      }
      const swap = (matches << 1) & previous;
      const nextNone = (none << 1) & matches;
      const nextOne = ((one << 1) & matches) | none | ((none | nextNone) << 1) | ((noneBefore << 2) & swap);
      if (typos > 1) two = ((two << 1) & matches) | one | ((one | nextOne) << 1) | ((oneBefore << 2) & swap);
      noneBefore = none;
      oneBefore = one;
      none = nextNone;
      one = nextOne;
      previous = matches;
      if (((none | one | two) & accepted) !== 0) return true;
    }
    return false;
  }

  /** `anchored` 1 makes every skipped character of the text cost one, so that matches start at `from`. */
  #scan(
    bytes: Uint8Array,
    from: number,
    to: number,
    limit: number,
    rows: number,
    anchored: 0 | 1,
    stop: number,
  ): number {
    const ascii = this.ascii;
    const top = 1 << (rows - 1);
    const end = Math.min(to, stop);
    let verticalPositive = -1;
    let verticalNegative = 0;
    let diagonalZero = 0;
    let previousMatches = 0;
    let score = rows;
    let best = Math.min(limit + 1, rows);
    let at = from;
    while (at < end) {
      let character = bytes[at]!;
      let matches: number;
      if (character < 0x80) {
        at++;
        matches = ascii[character]!;
      } else {
        character = codePointAt(bytes, at);
        at += byteWidth(character);
        matches = this.#positions[this.#slotOf(character)]!;
      }
      const swapped = ((~diagonalZero & matches) << 1) & previousMatches;
      diagonalZero =
        (((matches & verticalPositive) + verticalPositive) ^ verticalPositive) |
        matches |
        verticalNegative |
        swapped;
      let horizontalPositive = verticalNegative | ~(diagonalZero | verticalPositive);
      let horizontalNegative = diagonalZero & verticalPositive;
      if ((horizontalPositive & top) !== 0) score++;
      else if ((horizontalNegative & top) !== 0) {
        score--;
        if (score < best) {
          if (score === 0) return 0;
          best = score;
        }
      }
      horizontalPositive = (horizontalPositive << 1) | anchored;
      horizontalNegative <<= 1;
      verticalPositive = horizontalNegative | ~(diagonalZero | horizontalPositive);
      verticalNegative = horizontalPositive & diagonalZero;
      previousMatches = matches;
    }
    return best > limit ? limit + 1 : best;
  }

  /** The plain table, for the few texts left by the filter of a pattern of more than 32 code points. */
  #tableDistance(bytes: Uint8Array, from: number, to: number, limit: number, anchored: boolean): number {
    const pattern = this.codePoints;
    let before: number[] = [];
    let column = Array.from({ length: pattern.length + 1 }, (_, row) => row);
    let best = column[pattern.length]!;
    let previous = -1;
    for (let at = from, j = 1; at < to; j++) {
      const character = codePointAt(bytes, at);
      at += byteWidth(character);
      const next = [anchored ? j : 0];
      for (let i = 1; i <= pattern.length; i++) {
        const own = pattern[i - 1]!;
        let cost = Math.min(column[i]! + 1, next[i - 1]! + 1, column[i - 1]! + (own === character ? 0 : 1));
        if (i > 1 && j > 1 && own === previous && pattern[i - 2] === character) {
          cost = Math.min(cost, before[i - 2]! + 1);
        }
        next.push(cost);
      }
      best = Math.min(best, next[pattern.length]!);
      before = column;
      column = next;
      previous = character;
    }
    return best > limit ? limit + 1 : best;
  }

  #slotOf(codePoint: number): number {
    let slot = codePoint & (SLOTS - 1);
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== codePoint) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }
}
