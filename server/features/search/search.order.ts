// Of several terms, which is looked for first, and whether those after it are looked for at all.

import type { Term } from './search.match.ts';
import { isWordCharacter } from './search.text.ts';
import type { Values } from './search.values.ts';

export type Ordered = {
  term: Term;
  /** Up to so many records or values are better asked one by one than this term looked for among all of them. */
  few: number;
};

/** Measured with 100,000 records, in microseconds. */
export const ASKING_A_VALUE = 2.5;
export const ASKING_A_RECORD = 1;
const LOOKING = 100;
const LOOKING_PER_TOKEN = 0.005;
const COMPARING_WORD = 0.05;
const COMPARING_TOKEN = 0.1;
/** From words to their tokens, values and records. */
const SPREADING = 0.1;

/** The term that the fewest tokens may match first. In what order terms are taken makes no difference to the answer. */
export function fewestFirst(values: Values, terms: Term[], askingOne: number): Ordered[] {
  if (terms.length < 2) return terms.map((term) => ({ term, few: 0 }));
  const estimated = terms.map((term) => {
    const { found, compared } = estimate(values, term);
    const looking = LOOKING + values.tokens.size * LOOKING_PER_TOKEN;
    return { term, found, few: (looking + compared + found * SPREADING) / askingOne };
  });
  return estimated.sort((a, b) => a.found - b.found);
}

/** About how many texts a term is found in at most, and how long their comparison takes. */
function estimate({ words, tokens, heads }: Values, term: Term): { found: number; compared: number } {
  const columns = term.wordStartsOnly ? term.whole : term.pieces;
  const cover = term.wordStartsOnly ? null : term.cover;
  const inTokens = tokens.pairs.estimate(columns, cover);
  // With a typo a short term begins far more words than hold it as it is.
  const begun = term.wordStartsOnly && term.typos > 0 ? heads.countWithinOneTypo(term.pattern.codePoints) : 0;
  const compared = term.pattern.codePoints.every(isWordCharacter)
    ? words.pairs.estimate(columns, cover) * COMPARING_WORD
    : inTokens * COMPARING_TOKEN;
  return { found: inTokens + begun, compared: compared + begun * COMPARING_WORD };
}
