/**
 * Distinguishes a busy database from an unreachable one. While it answers anything it is at most busy; after a
 * silence one connection outside the pool checks, at most once a second for all callers.
 */
import type { ClientConfig } from 'pg';
import { findConnectionProblem } from './database-check.ts';

export interface Reachability {
  /** Called for every result from the database. */
  answered(): void;
  isReachable(): Promise<boolean>;
}

const recentMs = 1_000;
const probeMs = 1_000;

export function createReachability(connection: ClientConfig): Reachability {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let probe: { begunAt: number; result: Promise<boolean> } | null = null;
  return {
    answered() {
      answeredAt = performance.now();
    },
    async isReachable() {
      const now = performance.now();
      if (now - answeredAt < recentMs) return true;
      if (!probe || now - probe.begunAt > recentMs) {
        // By name: the pool hides password and ssl from a spread.
        const { connectionString, host, port, user, database, password, ssl } = connection;
        const probed = { connectionString, host, port, user, database, password, ssl };
        const result = findConnectionProblem(
          { ...probed, application_name: 'talkboard' } as ClientConfig,
          probeMs,
        ).then((problem) => problem === null || isFull(problem));
        probe = { begunAt: now, result };
      }
      return probe.result;
    },
  };
}

/** The server answered: it only has no free connection. */
function isFull(problem: unknown): boolean {
  return (problem as { code?: string } | null)?.code === '53300';
}
