// Which characters a text has, in 64 bits. A term that matches with k typos lacks at most k of its characters in the
// text, so that one comparison of masks spares many texts the real one; what pairs of neighbours tell is in
// bigram-columns.ts.

import { isWordCharacter } from '../store/text.ts';
import { byteWidth, codePointAt } from '../store/utf8.ts';

const LETTER_A = 0x61;
const DIGIT_ZERO = 0x30;

/** Common characters between words that have a bit of their own; the rest of their kind shares the four after them. */
const SEPARATORS = '.@-_/:+(';
const FIRST_SEPARATOR = 36;
const FIRST_OTHER_SEPARATOR = FIRST_SEPARATOR + SEPARATORS.length;
const FIRST_OTHER_LETTER = 48;

/**
 * 0 to 25 letters, 26 to 35 digits, each its own; then what stands between words; then all other letters. A letter
 * never shares a bit with a separator: else half of all tokens would seem to match across the separators of others.
 */
export function maskBit(codePoint: number): number {
  if (codePoint >= LETTER_A && codePoint < LETTER_A + 26) return codePoint - LETTER_A;
  if (codePoint >= DIGIT_ZERO && codePoint < DIGIT_ZERO + 10) return 26 + codePoint - DIGIT_ZERO;
  const hash = Math.imul(codePoint, 0x9e3779b1) >>> 16;
  if (isWordCharacter(codePoint)) return FIRST_OTHER_LETTER + (hash % (64 - FIRST_OTHER_LETTER));
  const separator = SEPARATORS.indexOf(String.fromCodePoint(codePoint));
  if (separator !== -1) return FIRST_SEPARATOR + separator;
  return FIRST_OTHER_SEPARATOR + (hash % (FIRST_OTHER_LETTER - FIRST_OTHER_SEPARATOR));
}

/** Whether a text with this upper half of a mask has ASCII characters only; some that have are not told. */
export function isPlain(high: number): boolean {
  return high >>> (FIRST_OTHER_SEPARATOR - 32) === 0;
}

/** Whether a bit of the mask stands for this character alone, so that the mask itself is the answer. */
export function hasOwnBit(codePoint: number): boolean {
  return maskBit(codePoint) < 36;
}

const asciiBits = Uint8Array.from({ length: 128 }, (_, codePoint) => maskBit(codePoint));

export type Mask = { low: number; high: number };

/** Fills the given mask rather than making one: this runs for every new word of a build. */
export function maskOf(bytes: Uint8Array, from: number, to: number, characters: Mask): void {
  let [low, high] = [0, 0];
  for (let at = from; at < to; ) {
    const codePoint = codePointAt(bytes, at);
    at += byteWidth(codePoint);
    const bit = codePoint < 128 ? asciiBits[codePoint]! : maskBit(codePoint);
    if (bit < 32) low |= 1 << bit;
    else high |= 1 << (bit - 32);
  }
  characters.low = low;
  characters.high = high;
}

export function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
