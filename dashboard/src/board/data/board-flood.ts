/**
 * New cards that arrive faster than anyone can read, as during an import. Inserting each one copies and renders its
 * column, which freezes the page. They are skipped, and the board is fetched again from time to time.
 */
import { refresh } from '../../data/refresh.ts';
import { boardKeys } from './board-data.ts';

const windowMs = 500;
const maxInWindow = 25;
const askEveryMs = 1_500;

let windowBegan = 0;
let seen = 0;
const asking = new Map<string, ReturnType<typeof setTimeout>>();

/** True: skip this new card; the next fetch includes it. */
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
  void refresh(boardKeys.calendar(kanbanId));
  void refresh(boardKeys.allSummaries(kanbanId));
  void refresh(boardKeys.allCards(kanbanId));
  void refresh(boardKeys.table(kanbanId));
}
