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

  /** The first caller after a pause is let through; the others wait for its outcome. */
  mayTry(id: string): boolean {
    const failing = this.#failing.get(id);
    if (!failing) return true;
    if (this.#now() < failing.until) return false;
    failing.until = this.#now() + pauseAfter(failing.failures);
    return true;
  }

  succeeded(id: string): void {
    this.#failing.delete(id);
  }

  failed(id: string): void {
    const failures = (this.#failing.get(id)?.failures ?? 0) + 1;
    this.#failing.set(id, { failures, until: this.#now() + pauseAfter(failures) });
  }

  /** Forgets nodes that no longer exist. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#failing.keys()) if (!ids.has(id)) this.#failing.delete(id);
  }
}

const pauseAfter = (failures: number) => Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
