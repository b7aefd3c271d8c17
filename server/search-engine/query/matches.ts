// What all terms so far have matched, records or values, with the class that orders them.

import { NO_MATCH, startsWord, typosOfRank } from '../match/match.ts';
import { NO_MATCH_OF_FOUR, type Ranks } from './ranks.ts';
import type { Yielder } from './yielder.ts';

/** Its memory is kept between queries: fresh pages for every answer cost more than filling them. */
export class Matches {
  count = 0;
  ids = new Uint32Array(1024);
  /** Twice the typos of all terms, plus one unless some term stands at the beginning of a word. */
  classes = new Uint16Array(1024);
  #ofClass = new Uint32Array(1024);

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

  /** What the first term has matched, by ascending id: what is read of them then lies in one direction. */
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

  /** Those of a class, of which there are `size`, until the next call. */
  ofClass(wanted: number, size: number): Uint32Array {
    const { count, ids, classes } = this;
    if (size === count) return ids.subarray(0, count);
    if (size > this.#ofClass.length) this.#ofClass = new Uint32Array(size + (size >>> 3));
    const result = this.#ofClass;
    for (let i = 0, found = 0; found < size; i++) if (classes[i] === wanted) result[found++] = ids[i]!;
    return result.subarray(0, size);
  }

  /** Keeps what one more term matches too; what it does not match, no other term can save. */
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

/** At 2.5 µs for a value some 1 ms. */
const KEPT_PER_TURN = 400;
