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
export const ASKING_A_VALUE = { long: 2.5, short: 2.5 };
/** A short term is held against all tokens of a record: no columns tell of its typos. */
export const ASKING_A_RECORD = { long: 1, short: 2 };
const LOOKING = 100;
const LOOKING_PER_TOKEN = 0.005;
const COMPARING_WORD = 0.05;
const COMPARING_TOKEN = 0.1;
/** Words are told apart by three characters; each further one of a term leaves about so many of them. */
const LEFT_BY_CHARACTER = 1 / 8;

/** The term that the fewest tokens may match first. In what order terms are taken makes no difference to the answer. */
export function fewestFirst(values: Values, terms: Term[], asking: typeof ASKING_A_RECORD): Ordered[] {
  if (terms.length < 2) return terms.map((term) => ({ term, few: 0 }));
  const estimated = terms.map((term) => {
    const { found, compared } = estimate(values, term);
    const looking = LOOKING + values.tokens.size * LOOKING_PER_TOKEN;
    const askingOne = term.wordStartsOnly ? asking.short : asking.long;
    return { term, found, few: (looking + compared) / askingOne };
  });
  return estimated.sort((a, b) => a.found - b.found);
}

/** About how many texts a term may be found in, and how long their comparison takes. */
function estimate({ words, tokens, heads }: Values, term: Term): { found: number; compared: number } {
  const columns = term.wordStartsOnly ? term.whole : term.pieces;
  const cover = term.wordStartsOnly ? null : term.cover;
  const inTokens = tokens.pairs.estimate(columns, cover);
  // With a typo a term of three characters begins far more words than hold it as it is.
  const begun = term.wordStartsOnly && term.typos > 0 ? heads.countWithinOneTypo(term.pattern.codePoints) : 0;
  const compared = term.pattern.codePoints.every(isWordCharacter)
    ? words.pairs.estimate(columns, cover) * COMPARING_WORD
    : inTokens * COMPARING_TOKEN;
  const found = inTokens + begun * LEFT_BY_CHARACTER ** (term.pattern.length - 3);
  return { found, compared: compared + begun * COMPARING_WORD };
}
