/**
 * Refetches visible data after a change. `invalidateQueries` would take the answer of a first read that is running, which
 * may be older than the change, and would begin a later read anew with every change of a burst. This waits for what is
 * running and fetches once more, no matter how many changes arrived.
 */
import { queryClient } from './query-client.ts';

const running = new Map<string, Promise<void>>();
const askedAgain = new Set<string>();

/** An empty key means everything. */
export function refresh(queryKey: readonly unknown[]): Promise<void> {
  const name = JSON.stringify(queryKey);
  const under = running.get(name);
  if (under) {
    askedAgain.add(name);
    return under;
  }
  const run = readUntilCurrent(name, queryKey).finally(() => running.delete(name));
  running.set(name, run);
  return run;
}

async function readUntilCurrent(name: string, queryKey: readonly unknown[]): Promise<void> {
  do {
    askedAgain.delete(name);
    // A running fetch may have read before the change.
    if (queryClient.isFetching({ queryKey }) > 0) askedAgain.add(name);
    await queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  } while (askedAgain.has(name));
}
