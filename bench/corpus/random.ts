// A small seeded generator: the same seed gives the same corpus and the same queries on every machine.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1); mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** The first entries are far more frequent than the last, like names. */
  pickSkewed<T>(list: readonly T[]): T {
    return list[Math.floor(list.length * this.next() ** 2.5)]!;
  }

  digits(count: number): string {
    let result = '';
    for (let i = 0; i < count; i++) result += this.below(10);
    return result;
  }
}
