/** What the instance decides together: whose an e-mail address is, and where a new account goes. */
import type { Db, Reader } from '../db/db.ts';
import { unavailable } from '../http/errors.ts';
import { homeCell } from './cell-settings.ts';
import {
  claimEmail,
  countAccounts,
  findAccountOfEmail,
  findCell,
  forgetAccount,
  placeAccount,
  selectCells,
  takeOverEmail,
} from './directory.sql.ts';
import { hasUser } from './lookup.sql.ts';

export interface DirectoryDeps {
  home: Db;
  /** Besides home. */
  names: readonly string[];
  /** Null: the cell is not open. */
  dbOf(cell: string): Db | null;
}

export interface CellSummary {
  name: string;
  weight: number;
  drained: boolean;
  accounts: number;
}

export interface Directory {
  claimEmail(email: string, accountId: string): Promise<boolean>;
  /** Null: no user of another cell has it. */
  findAccountOfEmail(email: string): Promise<string | null>;
  /** In the order of CELLS, home first. */
  list(): Promise<CellSummary[]>;
  /** Chooses a cell, or takes the one named, and notes that the account is there. */
  place(accountId: string, cell?: string): Promise<string>;
  drop(accountId: string): Promise<void>;
  requireDb(cell: string): Db;
}

const defaultWeight = 100;

export function createDirectory({ home, names, dbOf }: DirectoryDeps): Directory {
  const requireDb = (cell: string): Db => {
    const db = cell === homeCell ? home : dbOf(cell);
    if (!db) throw unavailable(`the cell ${cell} is not reachable right now`, 5);
    return db;
  };
  const list = async (): Promise<CellSummary[]> => {
    const [rows, counts] = await Promise.all([selectCells(home), countAccounts(home)]);
    return [homeCell, ...names].map((name) => {
      const { weight = defaultWeight, drained = false } = rows.find((row) => row.name === name) ?? {};
      return { name, weight, drained, accounts: counts.get(name) ?? 0 };
    });
  };
  return {
    async claimEmail(email, accountId) {
      const owner = await claimEmail(home, email, accountId);
      if (owner === null) return true;
      // Removing a user leaves the entry: whether there is still a user is known in the owner's cell.
      const cell = (await findCell(home, owner)) ?? homeCell;
      if (await hasUser(requireDb(cell), owner, email)) return false;
      return takeOverEmail(home, email, owner, accountId);
    },
    findAccountOfEmail: (email) => findAccountOfEmail(home, email.trim().toLowerCase()),
    list,
    async place(accountId, chosen) {
      const cell = chosen ?? roomiest(await list(), (name) => name === homeCell || dbOf(name) !== null);
      if (cell !== homeCell) await home.transaction((tx) => placeAccount(tx, accountId, cell));
      return cell;
    },
    drop: (accountId) => home.transaction((tx) => forgetAccount(tx, accountId)),
    requireDb,
  };
}

/** The one with the most weight for each of its accounts; home if no other takes any. */
export function roomiest(cells: readonly CellSummary[], isOpen: (name: string) => boolean): string {
  const roomOf = ({ weight, accounts }: CellSummary) => weight / (accounts + 1);
  const [best] = cells
    .filter((cell) => !cell.drained && cell.weight > 0 && isOpen(cell.name))
    .sort((a, b) => roomOf(b) - roomOf(a));
  return best?.name ?? homeCell;
}

export async function cellOfAccount(home: Reader, accountId: string): Promise<string> {
  return (await findCell(home, accountId)) ?? homeCell;
}
