/** Computes the figures of each conversation, some minutes after its last message. */
import type { Db } from '../../platform/db/db.ts';
import { refreshBlocks, selectAccountsOfBlocks } from './reports.blocks.sql.ts';
import { type Place, rollUpPage, rollUpSome, selectChanged } from './reports.figures.sql.ts';

/** An active conversation changes again soon; until then its messages are read directly. */
const quietForMs = 10 * 60_000;
const conversationsAtATime = 1_000;
/**
 * A change has the time at which its request arrived, by the clock of its process, and is visible when it commits.
 * Idle transactions are ended after 30 s: an hour is more than any delay of commits and clocks.
 */
const lateByMs = 3_600_000;
/** For changes with an old time, such as a demo. Missing figures make a report slower, never wrong. */
const allEveryMs = 6 * 3_600_000;

export interface RollUpOptions {
  quietMs?: number;
  atATime?: number;
  /** Of conversations in a block. */
  leastInBlock?: number;
  /** Reports of this account are slower until the next run. */
  onFailed?(accountId: string, error: unknown): void;
}

/** Processes what has changed since the last run; at first, and a few times a day, everything. */
export function createRollUp(db: Db, options: RollUpOptions = {}): (now: number) => Promise<void> {
  const { quietMs = quietForMs } = options;
  let [walkedAt, walkedAllAt] = [0, 0];
  return async (now) => {
    if (now - walkedAllAt >= allEveryMs) {
      await rollUpConversations(db, now, options);
      walkedAllAt = now;
    } else {
      await rollUpChanged(db, walkedAt - quietMs - lateByMs, now, options);
    }
    walkedAt = now;
  };
}

/**
 * Goes once through all conversations, of which most have their figures: 50,000 take 0.2 to 0.3 s then. Each page
 * commits separately, so an interruption loses nothing, and two processes at once only repeat the work.
 */
export async function rollUpConversations(
  db: Db,
  now: number,
  { quietMs = quietForMs, atATime = conversationsAtATime, leastInBlock, onFailed }: RollUpOptions = {},
): Promise<void> {
  let after: Place | null = null;
  do {
    const from: Place | null = after;
    after = await db.transaction((tx) => rollUpPage(tx, from, now - quietMs, atATime));
  } while (after);
  await refreshEach(db, null, leastInBlock, onFailed);
}

async function rollUpChanged(
  db: Db,
  since: number,
  now: number,
  { quietMs = quietForMs, atATime = conversationsAtATime, leastInBlock, onFailed }: RollUpOptions,
): Promise<void> {
  const changed = await selectChanged(db, since, now - quietMs);
  for (let start = 0; start < changed.length; start += atATime) {
    const places = changed.slice(start, start + atATime);
    await db.transaction((tx) => rollUpSome(tx, places, now - quietMs));
  }
  const accountIds = [...new Set(changed.map(({ accountId }) => accountId))];
  if (accountIds.length > 0) await refreshEach(db, accountIds, leastInBlock, onFailed);
}

/** Account by account, so that one with very many conversations, or a fault, keeps no other one back. */
async function refreshEach(
  db: Db,
  accountIds: readonly string[] | null,
  leastInBlock: number | undefined,
  onFailed: RollUpOptions['onFailed'] = () => {},
): Promise<void> {
  for (const accountId of await selectAccountsOfBlocks(db, accountIds, leastInBlock)) {
    try {
      await db.transaction((tx) => refreshBlocks(tx, accountId, leastInBlock));
    } catch (error) {
      onFailed(accountId, error);
    }
  }
}
