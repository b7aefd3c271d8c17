// Which characters a text has, in 64 bits. A term that matches with k typos lacks at most k of its characters in the
// text, so that one comparison of masks spares most texts the real one.

import { byteWidth, codePointAt } from './search.utf8.ts';

const LETTER_A = 0x61;
const DIGIT_ZERO = 0x30;

/** 0 to 25 letters, 26 to 35 digits, each its own; all else shares 36 to 63. */
export function maskBit(codePoint: number): number {
  if (codePoint >= LETTER_A && codePoint < LETTER_A + 26) return codePoint - LETTER_A;
  if (codePoint >= DIGIT_ZERO && codePoint < DIGIT_ZERO + 10) return 26 + codePoint - DIGIT_ZERO;
  return 36 + ((Math.imul(codePoint, 0x9e3779b1) >>> 0) % 28);
}

const asciiBits = Uint8Array.from({ length: 128 }, (_, codePoint) => maskBit(codePoint));

export type Mask = { low: number; high: number };

/** Fills the given mask rather than making one: this runs for every new word of a build. */
export function maskOf(bytes: Uint8Array, from: number, to: number, mask: Mask): void {
  let low = 0;
  let high = 0;
  for (let at = from; at < to; ) {
    const codePoint = codePointAt(bytes, at);
    at += byteWidth(codePoint);
    const bit = codePoint < 128 ? asciiBits[codePoint]! : maskBit(codePoint);
    if (bit < 32) low |= 1 << bit;
    else high |= 1 << (bit - 32);
  }
  mask.low = low;
  mask.high = high;
}

export function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
