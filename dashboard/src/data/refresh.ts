/**
 * Refetches visible data after a change. `invalidateQueries` would accept the answer of a running first read, which may be
 * older than the change, and would restart a later read at every change of a burst. This waits for what is running and
 * fetches once more, no matter how many changes arrived.
 */
import { queryClient } from './query-client.ts';

const running = new Map<string, Promise<void>>();
const askedAgain = new Set<string>();

interface RefreshOptions {
  /** Only this key, not those below it. */
  exact?: boolean;
}

/** An empty key means everything. */
export function refresh(queryKey: readonly unknown[], { exact = false }: RefreshOptions = {}): Promise<void> {
  const name = JSON.stringify([queryKey, exact]);
  const under = running.get(name);
  if (under) {
    askedAgain.add(name);
    return under;
  }
  const run = readUntilCurrent(name, { queryKey, exact }).finally(() => running.delete(name));
  running.set(name, run);
  return run;
}

async function readUntilCurrent(
  name: string,
  filters: { queryKey: readonly unknown[]; exact: boolean },
): Promise<void> {
  do {
    askedAgain.delete(name);
    // A running fetch may have read before the change.
    if (queryClient.isFetching({ ...filters, type: 'active' }) > 0) askedAgain.add(name);
    await queryClient.invalidateQueries(filters, { cancelRefetch: false });
  } while (askedAgain.has(name));
}

/** After a change of what is shown: a read that is running began before it, and its answer would undo it. */
export function readAgainIfUnderWay(
  queryKey: readonly unknown[],
  { exact = false }: RefreshOptions = {},
): void {
  const filters = { queryKey, exact, type: 'active' } as const;
  if (queryClient.isFetching(filters) === 0) return;
  // A first read is waited for: without it there would be nothing to show.
  void queryClient.cancelQueries({ ...filters, predicate: ({ state }) => state.data !== undefined });
  void refresh(queryKey, { exact });
}
