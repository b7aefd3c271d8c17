/** First shown, then true: the cache is changed at once, and put back with a message when the service refuses. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { toast } from '../ui/overlays/toast.tsx';
import { queryClient } from './query-client.ts';

export interface OptimisticChange<T> {
  /** Changes what is cached. */
  apply(client: QueryClient): void;
  /** The queries that `apply` touches: put back on refusal. */
  touches: readonly QueryKey[];
  send(): Promise<T>;
  /** Takes the true answer into the cache. */
  settle?(answer: T): void;
  /** Said when it fails: "The card could not be moved". */
  failed: string;
  /** Said when it has worked, with Undo when `undo` is given. */
  done?: string;
  undo?(): void;
}

export async function optimistic<T>(act: OptimisticChange<T>): Promise<T | null> {
  // A fetch that is under way would overwrite what is about to be shown.
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
