/** A claimed job as its handler sees it, and what the handler may throw that is no failure. */
import type { Tx } from '../db/db.ts';
import type { JobLease } from './jobs.lease.sql.ts';

export interface Job {
  accountId: string;
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  attempt: number;
  /** Ends the job inside the handler's own transaction; throws LeaseLost (and so rolls back) if it lost the lease. */
  complete(tx: Tx): Promise<void>;
  /** Of a job that `wakeJobs` made: how often it had been woken when it was claimed. */
  wakes: number;
  /**
   * Ends a job that `wakeJobs` made, in a statement that jobs share which end at the same time. False: it was woken more
   * often, or is being woken, or the lease is lost.
   */
  completeUnlessWoken(wakes: number): Promise<boolean>;
  /** For `completeEachIf`. */
  lease: JobLease;
  /**
   * For work of many transactions: part of each of them, throws LeaseLost unless the lease is still held. Progress
   * resets the attempts.
   */
  keep(tx: Tx, isProgress?: boolean): Promise<void>;
  /** The worker stops: long work throws JobReleased at its next checkpoint. */
  isStopping(): boolean;
  /**
   * Aborted with JobReleased when the worker stops, and with LeaseLost when another worker may have the job: for long calls
   * that are safe to repeat.
   */
  signal: AbortSignal;
}

export type JobHandler = (job: Job) => Promise<void>;

/** Not a failure: another worker, or this one later, continues at once. */
export class JobReleased extends Error {}

/** Not a failure either: the job runs again after the delay. */
export class JobPostponed extends Error {
  readonly delayMs: number;
  /** False: as if it had not been claimed. */
  readonly isCounted: boolean;

  constructor(delayMs: number, isCounted = true) {
    super('the job was postponed');
    this.delayMs = delayMs;
    this.isCounted = isCounted;
  }
}
