/**
 * A map that drops entries when they are too old, or the oldest ones when there are too many. `lru-cache` does the same,
 * but adds 6 KB to the first load, which must stay under 250 KB.
 */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, { value: Value; at: number }>();
  readonly #max: number;
  readonly #maxAgeMs: number;

  constructor({ max, maxAgeMs = Number.POSITIVE_INFINITY }: { max: number; maxAgeMs?: number }) {
    this.#max = max;
    this.#maxAgeMs = maxAgeMs;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#isFresh(entry) ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, at: Date.now() });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#max && this.#isFresh(entry)) break;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Oldest first; a copy, so that entries can be changed meanwhile. */
  entries(): [key: string, value: Value][] {
    return [...this.#entries]
      .filter(([, entry]) => this.#isFresh(entry))
      .map(([key, { value }]) => [key, value]);
  }

  #isFresh({ at }: { at: number }): boolean {
    return Date.now() - at < this.#maxAgeMs;
  }
}
