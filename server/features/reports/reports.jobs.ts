/** Works out what reports count of each conversation, some minutes after it fell silent. */
import type { Db } from '../../platform/db.ts';
import { type Place, rollUpPage } from './reports.figures.sql.ts';

/** Whoever is being talked to changes again soon; until then their messages are read as they are. */
const quietForMs = 10 * 60_000;
const conversationsAtATime = 1_000;

/**
 * Goes once through all conversations, of which most have their figures: 50,000 take 0.2 s then. Each page commits by
 * itself, so whatever interrupts it loses nothing, and two processes that do it at once only do it twice.
 */
export async function rollUpConversations(
  db: Db,
  now: number,
  { quietMs = quietForMs, atATime = conversationsAtATime } = {},
): Promise<void> {
  let after: Place | null = null;
  do {
    const from: Place | null = after;
    after = await db.transaction((tx) => rollUpPage(tx, from, now - quietMs, atATime));
  } while (after);
}
