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
export const ASKING_A_RECORD = Number((globalThis as { ASK?: number }).ASK ?? 1);
const LOOKING = 100;
const LOOKING_PER_TOKEN = 0.005;
const COMPARING_WORD = 0.05;
const COMPARING_TOKEN = 0.1;

/** The term that the fewest tokens may match first. In what order terms are taken makes no difference to the answer. */
export function fewestFirst({ words, tokens }: Values, terms: Term[], askingOne: number): Ordered[] {
  if (terms.length < 2) return terms.map((term) => ({ term, few: 0 }));
  const estimated = terms.map((term) => {
    const columns = term.wordStartsOnly ? term.whole : term.pieces;
    const inTokens = tokens.pairs.estimate(columns);
    const comparing = term.pattern.codePoints.every(isWordCharacter)
      ? words.pairs.estimate(columns) * COMPARING_WORD
      : inTokens * COMPARING_TOKEN;
    const looking = LOOKING + tokens.size * LOOKING_PER_TOKEN;
    return { term, inTokens, few: (looking + comparing) / askingOne };
  });
  return estimated.sort((a, b) => a.inTokens - b.inTokens);
}
