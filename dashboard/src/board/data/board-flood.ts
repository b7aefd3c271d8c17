/**
 * New cards that come faster than anyone can follow, as an import makes them: put on the board one by one, each costs a
 * copy of its column and a rendering, and the page stands still. They are left out, and the board is asked for anew.
 */
import { queryClient } from '../../data/query-client.ts';
import { boardKeys } from './board-data.ts';

const windowMs = 500;
const maxInWindow = 25;
const askEveryMs = 1_500;

let windowBegan = 0;
let seen = 0;
const asking = new Map<string, ReturnType<typeof setTimeout>>();

/** True: this new card is not to be placed; it comes with the next asking. */
export function isFlooded(kanbanId: string): boolean {
  const now = performance.now();
  if (now - windowBegan > windowMs) {
    windowBegan = now;
    seen = 0;
  }
  seen++;
  if (seen <= maxInWindow && !asking.has(kanbanId)) return false;
  if (!asking.has(kanbanId))
    asking.set(
      kanbanId,
      setTimeout(() => ask(kanbanId), askEveryMs),
    );
  return true;
}

function ask(kanbanId: string): void {
  asking.delete(kanbanId);
  void queryClient.invalidateQueries({ queryKey: boardKeys.allSummaries(kanbanId) });
  void queryClient.invalidateQueries({ queryKey: boardKeys.allCards(kanbanId) });
}
