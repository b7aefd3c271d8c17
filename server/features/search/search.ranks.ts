// Best ranks by id, and which ids have one. Kept between queries: clearing what a query touched is cheaper than fresh
// memory for every word, value and record of a large account.

import { NO_MATCH } from './search.match.ts';

export class Ranks {
  best = new Uint8Array(0);
  /** The first `count` entries are the ids that have a rank. */
  touched = new Uint32Array(1024);
  count = 0;

  reset(size: number): void {
    if (size > this.best.length) this.best = new Uint8Array(size + (size >>> 3)).fill(NO_MATCH);
    else if (this.count > this.best.length >>> 3) this.best.fill(NO_MATCH);
    else for (let i = 0; i < this.count; i++) this.best[this.touched[i]!] = NO_MATCH;
    this.count = 0;
  }

  improve(id: number, rank: number): void {
    const before = this.best[id]!;
    if (rank >= before) return;
    if (before === NO_MATCH) {
      if (this.count === this.touched.length) this.#grow();
      this.touched[this.count++] = id;
    }
    this.best[id] = rank;
  }

  #grow(): void {
    const grown = new Uint32Array(this.touched.length * 2);
    grown.set(this.touched);
    this.touched = grown;
  }
}
