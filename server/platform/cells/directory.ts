/** What the instance decides together: whose an e-mail address is, and where a new account goes. */
import type { Db, Reader, Tx } from '../db/db.ts';
import { unavailable } from '../http/errors.ts';
import { homeCell } from './cell-settings.ts';
import {
  claimEmail,
  claimSlug,
  confirmAccount,
  countAccounts,
  findAccountOfEmail,
  findCell,
  findReserved,
  noteChannels,
  releaseAccount,
  reserveAccount,
  selectCells,
  selectReserved,
  takeOverEmail,
} from './directory.sql.ts';
import { answers, hasAccount, hasUser, selectChannelIds } from './lookup.sql.ts';

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

export interface Placed {
  accountId: string;
  cell: string;
  /** An earlier run of the same request has placed it: the account may exist. */
  isRepeated: boolean;
}

export interface Directory {
  /** With `tx`, a transaction of the home cell, in it and on its connection; otherwise committed at once. */
  claimEmail(email: string, accountId: string, tx?: Tx): Promise<boolean>;
  /** Of a help center; `tx` as above. False: another account has it, or had it. */
  claimSlug(slug: string, accountId: string, tx?: Tx): Promise<boolean>;
  /** Null: no user of another cell has it. */
  findAccountOfEmail(email: string): Promise<string | null>;
  /** In the order of CELLS, home first. */
  list(): Promise<CellSummary[]>;
  /**
   * Chooses a cell, or takes the one named, and notes that the account will be there. `request`: a repeated one gets the
   * account of the first. `settle` must follow, also after an error.
   */
  place(accountId: string, asked?: { cell?: string | undefined; request?: Buffer | null }): Promise<Placed>;
  /** Keeps the place of an account that was created, and gives up that of one that was not. */
  settle(placed: Placed): Promise<void>;
  /** The same for those whose process has ended in between. */
  settleOld(): Promise<void>;
  requireDb(cell: string): Db;
}

/** A creation takes seconds at most. */
const oldSeconds = 600;
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
  /** Each step in the given transaction, or in one of its own: none holds a connection while it waits for a cell. */
  const claim = async (email: string, accountId: string, given?: Tx): Promise<boolean> => {
    const run = <T>(step: (tx: Tx) => Promise<T>) => (given ? step(given) : home.transaction(step));
    const owner = await run((tx) => claimEmail(tx, email, accountId));
    if (owner === null) return true;
    // Removing a user leaves the entry: whether there is still a user is known in the owner's cell.
    const cell = (await findCell(given ?? home, owner)) ?? homeCell;
    if (await hasUser(cell === homeCell ? (given ?? home) : requireDb(cell), owner, email)) return false;
    return run((tx) => takeOverEmail(tx, email, owner, accountId));
  };
  /** Not one that is away: the account could not be created there. */
  const chooseCell = async (): Promise<string> => {
    const all = await list();
    for (const away = new Set<string>(); ; ) {
      const cell = roomiest(all, (name) => !away.has(name));
      if (cell === homeCell || (await answers(dbOf(cell)))) return cell;
      away.add(cell);
    }
  };
  const settle = async ({ accountId, cell, isRepeated }: Placed): Promise<void> => {
    if (cell === homeCell) return;
    const db = requireDb(cell);
    if (await hasAccount(db, accountId)) {
      await home.transaction((tx) => confirmAccount(tx, accountId, cell));
      await noteChannels(home, await selectChannelIds(db, accountId), accountId);
    } else if (!isRepeated) {
      // The first run of a repeated request may still be under way.
      await home.transaction((tx) => releaseAccount(tx, accountId));
    }
  };
  return {
    claimEmail: claim,
    claimSlug: (slug, accountId, given) =>
      given ? claimSlug(given, slug, accountId) : home.transaction((tx) => claimSlug(tx, slug, accountId)),
    findAccountOfEmail: (email) => findAccountOfEmail(home, email.trim().toLowerCase()),
    list,
    async place(accountId, { cell: chosen, request = null } = {}) {
      const earlier = request && (await findReserved(home, request));
      if (earlier) return { ...earlier, isRepeated: true };
      const cell = chosen ?? (await chooseCell());
      if (cell !== homeCell) await home.transaction((tx) => reserveAccount(tx, { accountId, cell, request }));
      return { accountId, cell, isRepeated: false };
    },
    settle,
    async settleOld() {
      for (const one of await selectReserved(home, oldSeconds)) {
        // One whose cell is away stays for the next time.
        await settle({ ...one, isRepeated: false }).catch(() => {});
      }
    },
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
