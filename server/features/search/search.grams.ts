// Which pairs of neighbouring characters a text has, in 64 bits. Of a term in three pieces, two typos leave one piece
// whole, unless one of them is a swap across the border of two pieces: then the swapped pair itself is there, with the
// neighbour that belongs to an undamaged part. So a text needs to have the pairs of one of five short strings.

import type { Mask } from './search.masks.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';

const bitOf = (first: number, second: number): number => (Math.imul(first, 37) + Math.imul(second, 11)) & 63;

/** Fills the given mask rather than making one: this runs for every new word of a build. */
export function gramsOf(bytes: Uint8Array, from: number, to: number, grams: Mask): void {
  let low = 0;
  let high = 0;
  let previous = -1;
  for (let at = from; at < to; ) {
    const codePoint = codePointAt(bytes, at);
    at += byteWidth(codePoint);
    if (previous !== -1) {
      const bit = bitOf(previous, codePoint);
      if (bit < 32) low |= 1 << bit;
      else high |= 1 << (bit - 32);
    }
    previous = codePoint;
  }
  grams.low = low;
  grams.high = high;
}

/** One of these must be wholly in a text's pairs if the term, of six characters or more, is within two typos of it. */
export function piecesOf(term: readonly number[]): Mask[] {
  const first = Math.ceil(term.length / 3);
  const second = Math.ceil((term.length * 2) / 3);
  const strings = [
    term.slice(0, first),
    term.slice(first, second),
    term.slice(second),
    [term[first - 2]!, term[first]!, term[first - 1]!],
    [term[second]!, term[second - 1]!, term[second + 1]!],
  ];
  return strings.map((string) => {
    const pairs = { low: 0, high: 0 };
    for (let i = 1; i < string.length; i++) {
      const bit = bitOf(string[i - 1]!, string[i]!);
      if (bit < 32) pairs.low |= 1 << bit;
      else pairs.high |= 1 << (bit - 32);
    }
    return pairs;
  });
}

export function hasOne(pieces: readonly Mask[], low: number, high: number): boolean {
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    if ((piece.low & ~low) === 0 && (piece.high & ~high) === 0) return true;
  }
  return false;
}
