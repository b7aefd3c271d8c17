/**
 * Skips a node that fails, so that not every request waits for it. After a pause one request tries it again; the pause
 * doubles with every failure.
 */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

interface Failing {
  failures: number;
  /** Monotonic milliseconds. */
  until: number;
}

export class Breaker {
  readonly #failing = new Map<string, Failing>();
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** The first caller after a pause is let through; the others skip the node, for longer than before, unless it succeeds. */
  mayTry(id: string): boolean {
    const failing = this.#failing.get(id);
    if (!failing) return true;
    if (this.#now() < failing.until) return false;
    failing.failures++;
    failing.until = this.#now() + pauseAfter(failing.failures);
    return true;
  }

  succeeded(id: string): void {
    this.#failing.delete(id);
  }

  /** False if that was known: calls that ran at the same time fail together, and count as one. */
  failed(id: string): boolean {
    if (this.#failing.has(id)) return false;
    this.#failing.set(id, { failures: 1, until: this.#now() + pauseAfter(1) });
    return true;
  }

  /** Forgets nodes that no longer exist. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#failing.keys()) if (!ids.has(id)) this.#failing.delete(id);
  }
}

const pauseAfter = (failures: number) => Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
