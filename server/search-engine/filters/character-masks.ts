// Which characters a text has, in 64 bits. A text that matches a term with k typos lacks at most k of its characters,
// so one comparison of masks rejects many texts. Bigrams are in bigram-columns.ts.

import { isWordCharacter } from '../store/text.ts';
import { byteWidth, codePointAt } from '../store/utf8.ts';

const LETTER_A = 0x61;
const DIGIT_ZERO = 0x30;

/** Common separators with a bit of their own; all other separators share the four bits after them. */
const SEPARATORS = '.@-_/:+(';
const FIRST_SEPARATOR = 36;
const FIRST_OTHER_SEPARATOR = FIRST_SEPARATOR + SEPARATORS.length;
const FIRST_OTHER_LETTER = 48;

/**
 * Bits 0 to 25 are letters, 26 to 35 digits, then separators, then all other letters. A letter never shares a bit
 * with a separator: otherwise half of all tokens would seem to match across separators.
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

/** Whether a text with this upper half of a mask is ASCII only. Some ASCII texts are not recognised. */
export function isPlain(high: number): boolean {
  return high >>> (FIRST_OTHER_SEPARATOR - 32) === 0;
}

/** Whether a bit of the mask belongs to this character alone, so that the mask gives the exact answer. */
export function hasOwnBit(codePoint: number): boolean {
  return maskBit(codePoint) < 36;
}

const asciiBits = Uint8Array.from({ length: 128 }, (_, codePoint) => maskBit(codePoint));

export type Mask = { low: number; high: number };

/** Fills the given mask instead of allocating one: this runs for every new word of a build. */
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
