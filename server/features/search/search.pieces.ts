// Of a term in three pieces, two typos leave one piece whole, unless one of them is a swap across the border of two
// pieces: then the swapped pair itself is there, with the neighbour that belongs to an undamaged part. So a text needs
// to have all pairs of characters of one of five short strings.

import { type Mask, pairBit } from './search.masks.ts';

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
      const bit = pairBit(string[i - 1]!, string[i]!);
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
