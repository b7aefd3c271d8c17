/** Optimistic updates: the cache is changed at once and reverted with a message if the service rejects the change. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { toast } from '../ui/overlays/toast.tsx';
import { queryClient } from './query-client.ts';

export interface OptimisticChange<T> {
  /** Changes what is cached. */
  apply(client: QueryClient): void;
  /** The queries that `apply` changes; reverted on failure. */
  touches: readonly QueryKey[];
  send(): Promise<T>;
  /** Writes the response into the cache. */
  settle?(answer: T): void;
  /** Message on failure: "The card could not be moved". */
  failed: string;
  /** Message on success, with Undo when `undo` is given. */
  done?: string;
  undo?(): void;
}

export async function optimistic<T>(act: OptimisticChange<T>): Promise<T | null> {
  // A running fetch would overwrite the optimistic change.
  await Promise.all(act.touches.map((queryKey) => queryClient.cancelQueries({ queryKey })));
  const before = act.touches.flatMap((queryKey) => queryClient.getQueriesData({ queryKey }));
  act.apply(queryClient);
  try {
    const answer = await act.send();
    act.settle?.(answer);
    if (act.done && act.undo) toast.undo(act.done, act.undo);
    else if (act.done) toast.done(act.done);
    return answer;
  } catch (error) {
    for (const [queryKey, data] of before) queryClient.setQueryData(queryKey, data);
    toast.failed(act.failed, error, () => void optimistic(act));
    return null;
  }
}
