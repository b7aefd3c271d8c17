// The records or values that match all terms so far, with the rank class that orders them.

import { NO_MATCH, startsWord, typosOfRank } from '../match/match.ts';
import { NO_MATCH_OF_FOUR, type Ranks } from './ranks.ts';
import type { Yielder } from './yielder.ts';

/** Its memory is reused between queries: fresh pages for every response cost more than filling them. */
export class Matches {
  count = 0;
  ids = new Uint32Array(1024);
  /** Twice the typos of all terms, plus one unless some term matches at a word start. */
  classes = new Uint16Array(1024);
  #ofClass = new Uint32Array(1024);

  reserve(count: number): void {
    if (count <= this.ids.length) return;
    this.ids = new Uint32Array(count + (count >>> 3));
    this.classes = new Uint16Array(this.ids.length);
  }

  /** All ids below `size`: the query is empty. */
  takeAll(size: number): void {
    this.reserve(size);
    for (let id = 0; id < size; id++) this.ids[id] = id;
    this.classes.fill(0, 0, size);
    this.count = size;
  }

  /** The matches of the first term, by ascending id so that memory is read in one direction. */
  takeFirst(ranks: Ranks): void {
    this.reserve(ranks.count);
    const { ids, classes } = this;
    const { best, fours } = ranks;
    let count = 0;
    for (let four = 0; count < ranks.count; four++) {
      if (fours[four] === NO_MATCH_OF_FOUR) continue;
      for (let id = four * 4; id < four * 4 + 4; id++) {
        if (best[id] === NO_MATCH) continue;
        ids[count] = id;
        classes[count++] = best[id]!;
      }
    }
    this.count = count;
  }

  /** The matches of a class of `size` elements; valid until the next call. */
  ofClass(wanted: number, size: number): Uint32Array {
    const { count, ids, classes } = this;
    if (size === count) return ids.subarray(0, count);
    if (size > this.#ofClass.length) this.#ofClass = new Uint32Array(size + (size >>> 3));
    const result = this.#ofClass;
    for (let i = 0, found = 0; found < size; i++) if (classes[i] === wanted) result[found++] = ids[i]!;
    return result.subarray(0, size);
  }

  /** Keeps only what one more term matches too. */
  async refine(rankOf: (id: number) => number, pause: Yielder): Promise<void> {
    const { ids, classes } = this;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (i % KEPT_PER_TURN === KEPT_PER_TURN - 1) {
        const waiting = pause();
        if (waiting) await waiting;
      }
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

/** About 1 ms at 2.5 µs per value. */
const KEPT_PER_TURN = 400;
