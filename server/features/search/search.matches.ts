// What all terms so far have matched, records or values, with the class that orders them.

import { NO_MATCH, startsWord, type Term, typosOfRank } from './search.match.ts';
import type { Ranks } from './search.ranks.ts';

/** Its memory is kept between queries: fresh pages for every answer cost more than filling them. */
export class Matches {
  count = 0;
  ids = new Uint32Array(1024);
  /** Twice the typos of all terms, plus one unless some term stands at the beginning of a word. */
  classes = new Uint16Array(1024);

  reserve(count: number): void {
    if (count <= this.ids.length) return;
    this.ids = new Uint32Array(count + (count >>> 3));
    this.classes = new Uint16Array(this.ids.length);
  }

  /** All ids below `size`, as nothing was asked for. */
  takeAll(size: number): void {
    this.reserve(size);
    for (let id = 0; id < size; id++) this.ids[id] = id;
    this.classes.fill(0, 0, size);
    this.count = size;
  }

  /** What the first term has matched. */
  takeFirst(ranks: Ranks): void {
    this.reserve(ranks.count);
    const { ids, classes } = this;
    const { touched, best } = ranks;
    for (let i = 0; i < ranks.count; i++) {
      ids[i] = touched[i]!;
      classes[i] = best[touched[i]!]!;
    }
    this.count = ranks.count;
  }

  /** Keeps what one more term matches too; what it does not match, no other term can save. */
  keep(rankOf: (id: number) => number): void {
    const { ids, classes } = this;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      const rank = rankOf(ids[i]!);
      if (rank === NO_MATCH) continue;
      const before = classes[i]!;
      const typos = typosOfRank(before) + typosOfRank(rank);
      ids[kept] = ids[i]!;
      classes[kept++] = typos * 2 + (startsWord(before) || startsWord(rank) ? 0 : 1);
    }
    this.count = kept;
  }
}

/** Up to so many are asked one by one for a further term: some 3 µs each, where looking through all words takes 3 ms. */
export const FEW = 1000;

/** The most selective term first, as far as its length tells; in what order terms are taken makes no difference. */
export function longestFirst(terms: Term[]): Term[] {
  return [...terms].sort((a, b) => b.pattern.length - a.pattern.length);
}
