/** What a move does in the new cell besides copying. */
import { conflict } from '../../http/errors.ts';
import type { CopyDeps } from './copy.ts';
import { findFence } from './fence.sql.ts';
import type { Move } from './moves.sql.ts';
import { beginWrite, countRows, deleteSomeRows, endWrite } from './rows.sql.ts';
import { type MoveCells, removeRows } from './settle.ts';
import { type MovedTable, readTables } from './tables.ts';

const rowsAtOnce = 2_000;

export async function openCopy(
  { dbOf }: MoveCells,
  { accountId, from, to }: Pick<Move, 'accountId' | 'from' | 'to'>,
  holder: string,
): Promise<CopyDeps> {
  const [source, target] = [dbOf(from), dbOf(to)];
  const tables = await readTables(source);
  const formOf = (list: readonly MovedTable[]) => list.map(({ name, form }) => `${name}: ${form}`).join('\n');
  if (formOf(await readTables(target)) !== formOf(tables))
    throw conflict('the cells have different tables: run `talkboard migrate` first');
  return { source, target, accountId, holder, tables };
}

/** Of an earlier stay. */
export async function clearTarget({ target, accountId, tables }: CopyDeps, to: string): Promise<void> {
  const there = await findFence(target, accountId);
  if (there?.state === 'moved') await removeRows(target, tables, { accountId, moveId: there.moveId });
  if (there !== null) return;
  const counts = await countRows(target, tables, accountId);
  if ([...counts.values()].some((count) => count > 0))
    throw conflict(`the cell ${to} has rows of the account that are of no move`);
}

/** Everything that was copied. Only this move writes rows of the account there, so empty tables stay empty. */
export async function wipeTarget({ target, accountId, tables, holder }: CopyDeps): Promise<void> {
  const counts = await countRows(target, tables, accountId);
  for (const table of tables.toReversed().filter(({ name }) => counts.get(name) !== 0)) {
    for (let count = 1; count > 0; ) {
      count = await target.transaction(async (tx) => {
        const since = await beginWrite(tx, accountId, holder);
        if (since === null) throw conflict('another command has taken over the move');
        const deleted = await deleteSomeRows(tx, table, accountId, rowsAtOnce);
        await endWrite(tx, accountId, since);
        return deleted;
      });
    }
  }
}
