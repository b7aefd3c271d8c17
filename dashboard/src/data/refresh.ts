/**
 * Refetches visible data for changes that come in bursts. Unlike `invalidateQueries` it does not abort a running request:
 * it waits for it and fetches once more, no matter how many changes arrived.
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
