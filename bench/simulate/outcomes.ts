/** What became of the requests of a simulation, and which failures the faults explain. */
import { percentile } from '../load/client.ts';

/** A fault and whom it may concern, from its first moment until the service is whole again. */
export type Window =
  | { fault: 'node'; node: string; from: number; to: number }
  | { fault: 'cell'; cell: string; from: number; to: number }
  | { fault: 'move'; accountId: string; from: number; to: number };

export interface Failure {
  kind: string;
  isWrite: boolean;
  node: string;
  cell: string;
  accountId: string;
  from: number;
  to: number;
  /** Null: the connection broke. */
  status: number | null;
  /** Whether the answer said when to try again. */
  hasRetryAfter: boolean;
  text: string;
}

export interface KindFigures {
  kind: string;
  answered: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export interface Outcomes {
  succeeded(kind: string, ms: number): void;
  failed(failure: Failure): void;
  failures(): readonly Failure[];
  figures(): KindFigures[];
  answered(): number;
}

export function openOutcomes(): Outcomes {
  const times = new Map<string, number[]>();
  const failures: Failure[] = [];
  return {
    succeeded(kind, ms) {
      const list = times.get(kind);
      if (list) list.push(ms);
      else times.set(kind, [ms]);
    },
    failed: (failure) => void failures.push(failure),
    failures: () => failures,
    figures: () =>
      [...times].sort().map(([kind, list]) => ({
        kind,
        answered: list.length,
        p50: percentile(list, 0.5),
        p95: percentile(list, 0.95),
        p99: percentile(list, 0.99),
        max: percentile(list, 1),
      })),
    answered: () => [...times.values()].reduce((sum, list) => sum + list.length, 0),
  };
}

export const overloaded = 'overloaded';

/** The fault that explains a failure; null: nothing does. Reads are never refused during a move. */
export function explain(failure: Failure, windows: readonly Window[]): string | null {
  const { node, cell, accountId, isWrite, status, hasRetryAfter } = failure;
  const overlapping = windows.filter(({ from, to }) => failure.to >= from && failure.from <= to);
  if (status === null) {
    return overlapping.some((one) => one.fault === 'node' && one.node === node) ? 'process killed' : null;
  }
  if (status !== 503 || !hasRetryAfter) return null;
  // Not a fault, but what an overloaded machine should answer. Its share is reported.
  if (failure.text === 'BUSY') return overloaded;
  if (overlapping.some((one) => one.fault === 'cell' && one.cell === cell)) return 'cell stopped';
  const isMoved = overlapping.some((one) => one.fault === 'move' && one.accountId === accountId);
  return isMoved && isWrite ? 'account moved' : null;
}

/** How long one account's writes were refused in a row during a move, at most, in milliseconds. */
export function longestRefusal(failures: readonly Failure[], windows: readonly Window[]): number {
  const refused = failures.filter((one) => explain(one, windows) === 'account moved');
  const spans = [...Map.groupBy(refused, ({ accountId }) => accountId).values()];
  return Math.max(
    0,
    ...spans.map((list) => Math.max(...list.map((one) => one.to)) - Math.min(...list.map((one) => one.from))),
  );
}

export interface FailureCount {
  what: string;
  expected: boolean;
  count: number;
}

export function countFailures(failures: readonly Failure[], windows: readonly Window[]): FailureCount[] {
  const counts = new Map<string, FailureCount>();
  for (const failure of failures) {
    const why = explain(failure, windows);
    const answer = failure.status === null ? 'connection broken' : String(failure.status);
    const what = why ? `${answer}, ${why}` : `${failure.kind}: ${answer} ${failure.text}`.trim();
    const known = counts.get(what);
    if (known) known.count++;
    else counts.set(what, { what, expected: why !== null, count: 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
