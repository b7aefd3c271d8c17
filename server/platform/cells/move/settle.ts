/** What follows the moment at which an account has moved. Each step may be repeated, by any process. */
import type { Db } from '../../db/db.ts';
import { conflict, isTemporary } from '../../http/errors.ts';
import { noteChannels } from '../directory.sql.ts';
import { selectChannelIds } from '../lookup.sql.ts';
import {
  dropFence,
  findFence,
  hasFences,
  type MovedAway,
  removeGuard,
  selectGuarded,
  selectMovedBefore,
  selectUnsettled,
  settleFence,
} from './fence.sql.ts';
import { isSwitched, type MovingAccount, selectEmails, selectSlugs, switchCell } from './moves.sql.ts';
import { beginRemoval, deleteSomeRows, endWrite, openAccount } from './rows.sql.ts';
import { type MovedTable, readTables } from './tables.ts';

export interface MoveCells {
  home: Db;
  /** Throws while the cell is not reachable. */
  dbOf(cell: string): Db;
}

export type EndedMove = Pick<MovingAccount, 'accountId' | 'moveId' | 'from' | 'to'>;

/** Opens the new cell first: no request is sent there before the directory names it. */
export async function settle({ home, dbOf }: MoveCells, move: EndedMove): Promise<void> {
  const { accountId, moveId, from, to } = move;
  const emails = await selectEmails(dbOf(to), accountId);
  const slugs = await selectSlugs(dbOf(to), accountId);
  await dbOf(to).transaction((tx) => openAccount(tx, accountId, moveId));
  if (!(await switchCell(home, moveId, { emails, slugs })) && !(await isSwitched(home, moveId)))
    throw conflict('the move has ended in another way: compare the directory with `talkboard cells repair`');
  await noteChannels(home, await selectChannelIds(dbOf(to), accountId), accountId);
  await settleFence(dbOf(from), accountId, moveId);
}

/** For processes that serve: the command may have ended in the middle. */
export async function settleIfMoved(cells: MoveCells, move: EndedMove): Promise<void> {
  const fence = await findFence(cells.dbOf(move.from), move.accountId);
  if (fence?.state === 'moved' && fence.moveId === move.moveId) await settle(cells, move);
}

const keptSeconds = 86_400;
const rowsAtOnce = 2_000;

/** Housekeeping of a cell: rows of accounts that have left a day ago, then the triggers that are no longer needed. */
export async function removeMovedAccounts(
  { db, home }: { db: Db; home: Db },
  seconds = keptSeconds,
): Promise<void> {
  for (const { accountId, moveId } of await selectUnsettled(db)) {
    if (await isSwitched(home, moveId)) await settleFence(db, accountId, moveId);
  }
  const gone = await selectMovedBefore(db, seconds);
  if (gone.length > 0) {
    const tables = await readTables(db);
    for (const one of gone) await removeRows(db, tables, one);
  }
  if (await hasFences(db)) return;
  for (const name of await selectGuarded(db)) {
    await removeGuard(db, name).catch((error) => {
      // The table is in use: the next time.
      if (!isTemporary(error)) throw error;
    });
  }
}

/** Of an account that was deleted where it lived last. */
export async function removeLeftRows(db: Db, accountId: string): Promise<void> {
  const fence = await findFence(db, accountId);
  if (fence?.state === 'moved')
    await removeRows(db, await readTables(db), { accountId, moveId: fence.moveId });
}

/** Rows that an account has left behind here. */
export async function removeRows(
  db: Db,
  tables: readonly MovedTable[],
  { accountId, moveId }: MovedAway,
): Promise<void> {
  for (const table of tables.toReversed()) {
    for (let count = rowsAtOnce; count === rowsAtOnce; ) {
      count = await db.transaction(async (tx) => {
        const since = await beginRemoval(tx, accountId, moveId);
        // The account comes back, and another process has removed them.
        if (since === null) return 0;
        const removed = await deleteSomeRows(tx, table, accountId, rowsAtOnce);
        await endWrite(tx, accountId, since);
        return removed;
      });
    }
  }
  await dropFence(db, accountId, moveId, 'moved');
}
