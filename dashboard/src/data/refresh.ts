/**
 * Reads again what is on the screen, for changes that come in bursts. Unlike `invalidateQueries` it aborts no request that
 * is under way: it waits for it and reads once more, however many changes came meanwhile.
 */
import { queryClient } from './query-client.ts';

const running = new Map<string, Promise<void>>();
const askedAgain = new Set<string>();

/** An empty key is everything. */
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
    // What is under way may have been read before the change.
    if (queryClient.isFetching({ queryKey }) > 0) askedAgain.add(name);
    await queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  } while (askedAgain.has(name));
}
