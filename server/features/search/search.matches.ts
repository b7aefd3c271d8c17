// What all terms so far have matched, records or values, with the class that orders them.

import { NO_MATCH, startsWord, typosOfRank } from './search.match.ts';
import type { Ranks } from './search.ranks.ts';

/** The first `count` of `ids`. A class is twice the typos of all terms, plus one unless some term begins a word. */
export type Matches = { count: number; ids: Uint32Array; classes: Uint16Array };

/** Takes one more term in; what it does not match, no other term can save. The first term makes the list. */
export function addTerm(matches: Matches | null, ranks: Ranks): Matches {
  if (matches === null) {
    const ids = ranks.touched.slice(0, ranks.count);
    const classes = new Uint16Array(ids.length);
    for (let i = 0; i < ids.length; i++) classes[i] = ranks.best[ids[i]!]!;
    return { count: ids.length, ids, classes };
  }
  const { ids, classes } = matches;
  let kept = 0;
  for (let i = 0; i < matches.count; i++) {
    const rank = ranks.best[ids[i]!]!;
    if (rank === NO_MATCH) continue;
    const before = classes[i]!;
    const typos = typosOfRank(before) + typosOfRank(rank);
    ids[kept] = ids[i]!;
    classes[kept++] = typos * 2 + (startsWord(before) || startsWord(rank) ? 0 : 1);
  }
  matches.count = kept;
  return matches;
}
