// Best ranks by id, and which ids have one. Reused between queries: clearing what a query touched is cheaper than
// fresh memory for every word, value and record of a large account.

import { NO_MATCH } from '../match/match.ts';

/** Four ids without a rank, as one number. */
export const NO_MATCH_OF_FOUR = NO_MATCH * 0x01010101;

export class Ranks {
  best = new Uint8Array(0);
  /** The same memory, four ranks per number: most ids have none and are skipped faster. */
  fours = new Uint32Array(0);
  /** The first `count` entries are the ids that have a rank. As long as `best`, so it never has to grow. */
  touched = new Uint32Array(0);
  count = 0;

  reset(size: number): void {
    if (size > this.best.length) {
      this.best = new Uint8Array((size + (size >>> 3) + 3) & ~3).fill(NO_MATCH);
      this.fours = new Uint32Array(this.best.buffer);
      this.touched = new Uint32Array(this.best.length);
    } else if (this.count > this.best.length >>> 3) this.best.fill(NO_MATCH);
    else for (let i = 0; i < this.count; i++) this.best[this.touched[i]!] = NO_MATCH;
    this.count = 0;
  }

  improve(id: number, rank: number): void {
    const before = this.best[id]!;
    if (rank >= before) return;
    if (before === NO_MATCH) this.touched[this.count++] = id;
    this.best[id] = rank;
  }

  /** The ids of list[from, to). */
  improveAll(list: Uint32Array, from: number, to: number, rank: number): void {
    const { best, touched } = this;
    let { count } = this;
    for (let at = from; at < to; at++) {
      const id = list[at]!;
      const before = best[id]!;
      if (rank >= before) continue;
      if (before === NO_MATCH) touched[count++] = id;
      best[id] = rank;
    }
    this.count = count;
  }
}
