// A filter for terms with two typos: if a term is cut into three pieces, two typos leave one piece intact, unless one
// typo is a swap across a border of pieces. In that case the swapped bigram is present, with a neighbour from an
// intact piece. So a text must have all bigrams of one of five short strings.

import type { ColumnSets } from './bigram-columns.ts';
import { bigramColumnOf } from './bigrams.ts';

/** A text within two typos of the term (six characters or more) has all columns of one of these sets. */
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

/** The columns of all bigrams of a string, each once. */
export function bigramColumnsOf(string: readonly number[]): number[] {
  const columns = new Set<number>();
  for (let i = 1; i < string.length; i++) columns.add(bigramColumnOf(string[i - 1]!, string[i]!));
  return [...columns];
}
