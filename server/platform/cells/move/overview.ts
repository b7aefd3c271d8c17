/** The cells and their moves, for the administrator of the instance. */
import type { CellOverview } from '../../../../contract/accounts.ts';
import type { Db } from '../../db/db.ts';
import type { CellStatus } from '../../http/operations.routes.ts';
import { createDirectory } from '../directory.ts';
import { selectMoves } from './moves.sql.ts';

const mostMoves = 50;

export interface OverviewDeps {
  instanceDb: Db;
  /** Of the cells besides home; null: there are none. */
  cellStatus: (() => Promise<CellStatus[]>) | null;
}

export async function readCells({ instanceDb, cellStatus }: OverviewDeps): Promise<CellOverview> {
  const others = (await cellStatus?.()) ?? [];
  const isAway = new Set(others.filter(({ status }) => status !== 'ok').map(({ name }) => name));
  const names = others.map(({ name }) => name);
  const directory = createDirectory({ home: instanceDb, names, dbOf: () => null });
  const [cells, moves] = await Promise.all([directory.list(), selectMoves(instanceDb, mostMoves)]);
  return {
    cells: cells.map((cell) => ({ ...cell, status: isAway.has(cell.name) ? 'unavailable' : 'ok' })),
    moves,
  };
}
