// What all terms so far have matched, records or values, with the class that orders them.

import { NO_MATCH, startsWord, type Term, typosOfRank } from './search.match.ts';
import type { Ranks } from './search.ranks.ts';

/** The first `count` of `ids`. A class is twice the typos of all terms, plus one unless some term begins a word. */
export type Matches = { count: number; ids: Uint32Array; classes: Uint16Array };

/** Up to so many are asked one by one for a further term: some 3 µs each, where looking through all words takes 3 ms. */
export const FEW = 1000;

/** The most selective term first, as far as its length tells; in what order terms are taken makes no difference. */
export function longestFirst(terms: Term[]): Term[] {
  return [...terms].sort((a, b) => b.pattern.length - a.pattern.length);
}

/** Takes one more term in; what it does not match, no other term can save. The first term makes the list. */
export function addTerm(matches: Matches | null, ranks: Ranks): Matches {
  if (matches !== null) return addRanks(matches, (id) => ranks.best[id]!);
  const ids = ranks.touched.slice(0, ranks.count);
  const classes = new Uint16Array(ids.length);
  for (let i = 0; i < ids.length; i++) classes[i] = ranks.best[ids[i]!]!;
  return { count: ids.length, ids, classes };
}

export function addRanks(matches: Matches, rankOf: (id: number) => number): Matches {
  const { ids, classes } = matches;
  let kept = 0;
  for (let i = 0; i < matches.count; i++) {
    const rank = rankOf(ids[i]!);
    if (rank === NO_MATCH) continue;
    const before = classes[i]!;
    const typos = typosOfRank(before) + typosOfRank(rank);
    ids[kept] = ids[i]!;
    classes[kept++] = typos * 2 + (startsWord(before) || startsWord(rank) ? 0 : 1);
  }
  matches.count = kept;
  return matches;
}
