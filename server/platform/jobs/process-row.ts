/**
 * The row in `processes` by which others know that this process is alive. What the process claims carries the row's id.
 * Another process that finds the row expired deletes it and frees what was claimed with it, in one transaction. So while
 * the row exists it may be renewed however late: nothing was taken away.
 */
import { type Sql, sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** Others notice a process that has vanished after this and one look of their own, well within the allowed 5 s. */
const aliveMs = 3_000;
const aliveUntil = sql`now() + ${aliveMs / 1000}::float8 * interval '1 second'`;

/** Another process has what this one had claimed. */
export class LeaseLost extends Error {}

/** The right to what was claimed with a row. */
export interface Lease {
  token: string;
  /** Aborted when another process has taken over what was claimed. */
  signal: AbortSignal;
}

export interface Renewed {
  isRenewed: boolean;
  /** False: others have deleted it. True without a renewal: others are about to, or it is locked for a moment. */
  isThere: boolean;
}

export class ProcessRow {
  #id = newId();
  #isInserted = false;
  #abort = new AbortController();
  /** On this process's monotonic clock: later than this, others may have taken over what it had. */
  #goodUntil = 0;
  #wasOnTime = false;

  get id(): string {
    return this.#id;
  }

  get isInserted(): boolean {
    return this.#isInserted;
  }

  get lease(): Lease {
    return { token: this.#id, signal: this.#abort.signal };
  }

  /** False after a freeze or a long outage of the database: nothing may be sent before a renewal. */
  get isGood(): boolean {
    return performance.now() < this.#goodUntil;
  }

  /**
   * False after a late renewal: its cause (the database was unreachable, the machine slept) may have affected the others
   * too, and this process should not consider anyone dead yet.
   */
  get mayJudge(): boolean {
    return this.#wasOnTime && this.isGood;
  }

  /** A statement that returns the row. Releases up to v1.7.249 read `seen_at`. */
  renewal(): Sql {
    if (!this.#isInserted) {
      return sql`insert into processes (id, alive_until) values (${this.#id}::uuid, ${aliveUntil})
        on conflict (id) do update set seen_at = now(), alive_until = excluded.alive_until returning id`;
    }
    // Locked by those who delete it: the pulse must not wait for them.
    return sql`update processes set seen_at = now(), alive_until = ${aliveUntil}
      where id in (select id from processes where id = ${this.#id}::uuid for no key update skip locked) returning id`;
  }

  renewed(begunAt: number, { isRenewed, isThere }: Renewed): void {
    if (isRenewed) {
      this.#wasOnTime = this.isGood;
      this.#goodUntil = begunAt + aliveMs;
      this.#isInserted = true;
    } else if (!isThere) this.lost();
  }

  /** Also at its end. The next renewal makes another row. */
  lost(): void {
    this.#abort.abort(new LeaseLost('another process has taken over the work of this one'));
    this.#abort = new AbortController();
    this.#id = newId();
    this.#isInserted = false;
    this.#goodUntil = 0;
    this.#wasOnTime = false;
  }
}
