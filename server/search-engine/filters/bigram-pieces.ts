// Of a term in three pieces, two typos leave one piece whole, unless one of them is a swap across the border of two
// pieces: then the swapped pair itself is there, with the neighbour that belongs to an undamaged part. So a text needs
// to have all pairs of characters of one of five short strings.

import type { ColumnSets } from './bigram-columns.ts';
import { bigramColumnOf } from './bigrams.ts';

/** A text has all of one of these if the term, of six characters or more, is within two typos of it. */
export function bigramPiecesOf(term: readonly number[]): ColumnSets {
  const first = Math.ceil(term.length / 3);
  const second = Math.ceil((term.length * 2) / 3);
  return [
    term.slice(0, first),
    term.slice(first, second),
    term.slice(second),
    [term[first - 2]!, term[first]!, term[first - 1]!],
    [term[second]!, term[second - 1]!, term[second + 1]!],
  ].map(bigramColumnsOf);
}

/** The columns of all pairs of neighbours, each once. */
export function bigramColumnsOf(string: readonly number[]): number[] {
  const columns = new Set<number>();
  for (let i = 1; i < string.length; i++) columns.add(bigramColumnOf(string[i - 1]!, string[i]!));
  return [...columns];
}
