/**
 * The tokens that this process claims with. A token is valid while its row in delivery_workers is renewed; a process
 * that finds it expired deletes the row and frees what was claimed with it, in one transaction. So an existing row
 * may be renewed however late: nothing was taken away.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../platform/db/db.ts';
import {
  freeAbandoned,
  freeOrphans,
  keepAlive,
  registerWorker,
  releaseUntracked,
  signOff,
} from './webhooks.leases.sql.ts';
import type { ClaimedDelivery } from './webhooks.queue.sql.ts';

/** Renewed once a second. Others notice a vanished process after this and one look of their own, well within the allowed 5 s. */
const aliveMs = 3_000;
/** Reads the whole queue, for something that only an older release running in parallel could leave behind. */
const orphansEveryMs = 300_000;

export class Leases {
  #db: Db;
  #current: string | null = null;
  /** By token: the deliveries claimed with it that have neither been finished nor released. */
  #held = new Map<string, Set<string>>();
  /** On this process's monotonic clock: later than this, others may have taken over its deliveries. */
  #goodUntil = 0;
  #wasOnTime = false;
  #orphansFreedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db) {
    this.#db = db;
  }

  /** False after a freeze or a long outage of the database: then nothing may be claimed or sent before a renewal. */
  get good(): boolean {
    return performance.now() < this.#goodUntil;
  }

  /**
   * False after a late renewal: its cause (the database was unreachable, the machine slept) may have affected the others
   * too, and this process should not consider anyone dead yet.
   */
  get mayJudge(): boolean {
    return this.#wasOnTime && this.good;
  }

  async token(): Promise<string> {
    if (this.#current === null) {
      const token = randomUUID();
      const begun = performance.now();
      await registerWorker(this.#db, token, aliveMs);
      this.#goodUntil = Math.max(this.#goodUntil, begun + aliveMs);
      this.#held.set(token, new Set());
      this.#current = token;
    }
    return this.#current;
  }

  /**
   * A claim failed with an unknown outcome: this token claims nothing more, and every renewal frees what carries it
   * without being known here.
   */
  retire(): void {
    this.#current = null;
  }

  /** False: its token was lost before the claim's result arrived. */
  hold({ leaseToken, id }: ClaimedDelivery): boolean {
    return this.#held.get(leaseToken)?.add(id) !== undefined;
  }

  release({ leaseToken, id }: ClaimedDelivery): void {
    this.#held.get(leaseToken)?.delete(id);
  }

  /** `renewed` takes the result and returns the tokens that others considered dead. */
  renewal(): {
    statement: ReturnType<typeof keepAlive>;
    renewed(rows: readonly { token: string }[]): ReadonlySet<string>;
  } {
    const begun = performance.now();
    const tokens = [...this.#held.keys()];
    return {
      statement: keepAlive(tokens, aliveMs),
      renewed: (rows) => {
        const renewed = new Set(rows.map(({ token }) => token));
        this.#wasOnTime = this.good;
        const lost = new Set(tokens.filter((token) => !renewed.has(token)));
        for (const token of lost) this.#held.delete(token);
        if (this.#current !== null && lost.has(this.#current)) this.#current = null;
        this.#goodUntil = begun + aliveMs;
        return lost;
      },
    };
  }

  /** What was claimed with tokens that claim nothing more, and what an older release has left behind. */
  async tidy(): Promise<void> {
    for (const [token, ids] of this.#held) {
      if (token === this.#current) continue;
      if (ids.size > 0) await releaseUntracked(this.#db, token, [...ids]);
      else {
        await signOff(this.#db, [token]);
        this.#held.delete(token);
      }
    }
    if (performance.now() - this.#orphansFreedAt > orphansEveryMs) {
      await freeOrphans(this.#db);
      this.#orphansFreedAt = performance.now();
    }
  }

  /** Frees what vanished processes had claimed. */
  async takeOver(): Promise<void> {
    if (this.mayJudge) await freeAbandoned(this.#db);
  }

  async end(): Promise<void> {
    await signOff(this.#db, [...this.#held.keys()]);
    this.#held.clear();
    this.#current = null;
    this.#goodUntil = 0;
  }
}
