/** Copies an account's rows: first all of them as they are at one moment, then what has changed since. */
import type { Db, Reader, Tx } from '../../db/db.ts';
import { isUniqueViolation } from '../../db/db.ts';
import { conflict } from '../../http/errors.ts';
import { forgetChanges, selectChanges } from './fence.sql.ts';
import {
  beginSnapshot,
  beginWrite,
  type ChangedRows,
  closeRows,
  countRows,
  deleteAllRows,
  deleteKeys,
  endWrite,
  fetchRows,
  openRows,
  readAllRows,
  readChanged,
  sumAll,
  sumKeys,
  writeRows,
} from './rows.sql.ts';
import type { MovedTable } from './tables.ts';

export interface CopyDeps {
  source: Db;
  target: Db;
  accountId: string;
  holder: string;
  tables: readonly MovedTable[];
}

/** By table. */
type ChangedKeys = ReadonlyMap<string, readonly string[]>;

/**
 * A row conflicts with existing ones: two boards have swapped their names, or another account has the
 * same value. The message is the name of the constraint.
 */
export class MustStartOver extends Error {}

const keysAtOnce = 1_000;

const lost = () => conflict('another command has taken over the move');

/** In one state of the source. */
export function atOnce<T>({ source }: Pick<CopyDeps, 'source'>, run: (tx: Tx) => Promise<T>): Promise<T> {
  return source.transaction(async (tx) => {
    await beginSnapshot(tx);
    return run(tx);
  });
}

function write(deps: CopyDeps, run: (tx: Tx) => Promise<void>): Promise<void> {
  const { target, accountId, holder } = deps;
  return target
    .transaction(async (tx) => {
      const since = await beginWrite(tx, accountId, holder);
      if (since === null) throw lost();
      await run(tx);
      await endWrite(tx, accountId, since);
    })
    .catch((error) => {
      const { constraint = 'a unique index' } = error as { constraint?: string };
      throw isUniqueViolation(error) ? new MustStartOver(constraint) : error;
    });
}

/**
 * `done`: copied by a command that was interrupted. Their changes since are noted, and copied first, so that everything
 * is as it was at the same moment.
 */
export async function copyAll(
  deps: CopyDeps,
  done: readonly string[],
  onRows: (count: number) => void,
  onTable: (name: string) => Promise<void>,
): Promise<void> {
  await atOnce(deps, async (tx) => {
    const [begun, left] = [
      deps.tables.filter(({ name }) => done.includes(name)),
      deps.tables.filter(({ name }) => !done.includes(name)),
    ];
    const noted = await copyChanges({ ...deps, tables: begun }, tx);
    for (const table of left) {
      await copyTable(deps, tx, table, onRows);
      await onTable(table.name);
    }
    await noted.forget();
  });
}

async function copyTable(
  deps: CopyDeps,
  source: Tx,
  table: MovedTable,
  onRows: (count: number) => void,
): Promise<void> {
  // Of an interrupted copy, and what triggers of other tables have written.
  await write(deps, (tx) => deleteAllRows(tx, table, deps.accountId));
  await openRows(source, table, deps.accountId);
  for (;;) {
    const rows = await fetchRows(source);
    if (rows.length === 0) break;
    await write(deps, (tx) => writeRows(tx, table, rows));
    onRows(rows.length);
  }
  await closeRows(source);
}

export interface Copied {
  keys: ChangedKeys;
  count: number;
  /** After the source's transaction, or in the middle of it: they are copied. */
  forget(): Promise<void>;
}

/** What was noted up to the moment of `source`. */
export async function copyChanges(deps: CopyDeps, source: Tx): Promise<Copied> {
  const { accountId, tables } = deps;
  const noted = await selectChanges(source, accountId);
  const keys = new Map<string, string[]>();
  for (const [name, changes] of Map.groupBy(noted, ({ table }) => table)) {
    keys.set(name, [...new Set(changes.map(({ key }) => key))]);
  }
  if (noted.length > 0) {
    const changed = new Map<string, ChangedRows>();
    for (const table of tables.filter(({ name }) => keys.has(name))) {
      changed.set(table.name, await readAllChanged(source, table, keys.get(table.name)!));
    }
    const whole = new Map<string, string[]>();
    for (const table of tables.filter(({ isLast }) => isLast)) {
      whole.set(table.name, await readAllRows(source, table, accountId));
    }
    await write(deps, (tx) => writeChanges(tx, tables, changed, whole));
  }
  return {
    keys,
    count: noted.length,
    forget: async () => {
      if (noted.length > 0)
        await forgetChanges(
          deps.source,
          noted.map(({ id }) => id),
        );
    },
  };
}

async function readAllChanged(
  source: Reader,
  table: MovedTable,
  keys: readonly string[],
): Promise<ChangedRows> {
  const all: ChangedRows = { keys, rows: [], gone: [] };
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const part = await readChanged(source, table, keys.slice(start, start + keysAtOnce));
    all.rows.push(...part.rows);
    all.gone.push(...part.gone);
  }
  return all;
}

/** Rows come in the order of their references, and go in the other one. */
async function writeChanges(
  tx: Tx,
  tables: readonly MovedTable[],
  changed: ReadonlyMap<string, ChangedRows>,
  whole: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const table of tables) {
    const { keys = [], rows = [] } = changed.get(table.name) ?? {};
    if (table.isReplaced) await deleteKeys(tx, table, keys);
    for (let start = 0; start < rows.length; start += keysAtOnce) {
      await writeRows(tx, table, rows.slice(start, start + keysAtOnce));
    }
  }
  for (const table of tables.toReversed()) {
    const gone = changed.get(table.name)?.gone ?? [];
    if (!table.isReplaced) await deleteKeys(tx, table, gone);
  }
  for (const table of tables) await writeRows(tx, table, whole.get(table.name) ?? []);
}

/** Null: the same rows are in both. Otherwise what is not. */
export async function compareAll(deps: CopyDeps, source: Tx): Promise<string | null> {
  const { target, accountId, tables } = deps;
  return target.transaction(async (there) => {
    await beginSnapshot(there);
    for (const table of tables.filter(({ isCompared }) => isCompared)) {
      const [here, copied] = [await sumAll(source, table, accountId), await sumAll(there, table, accountId)];
      if (here.rows !== copied.rows) return fewer(table.name, here.rows, copied.rows);
      if (here.sum !== copied.sum) return different(table.name);
    }
    return null;
  });
}

/** The same after the last changes: of the tables that have some, these rows, and how many there are in all. */
export async function compareLast(deps: CopyDeps, source: Tx, keys: ChangedKeys): Promise<string | null> {
  const { target, accountId } = deps;
  const tables = deps.tables.filter(({ name, isCompared }) => isCompared && keys.has(name));
  if (tables.length === 0) return null;
  return target.transaction(async (there) => {
    await beginSnapshot(there);
    const [here, copied] = await Promise.all([
      countRows(source, tables, accountId),
      countRows(there, tables, accountId),
    ]);
    const problems = tables.map(async (table) => {
      const { name } = table;
      if (here.get(name) !== copied.get(name)) return fewer(name, here.get(name)!, copied.get(name)!);
      const [sum, copiedSum] = await Promise.all([
        sumKeys(source, table, keys.get(name)!),
        sumKeys(there, table, keys.get(name)!),
      ]);
      return sum.sum === copiedSum.sum ? null : different(name);
    });
    return (await Promise.all(problems)).find((problem) => problem !== null) ?? null;
  });
}

const fewer = (table: string, here: number, copied: number) =>
  `the table ${table} has ${here} rows, of which ${copied} were copied`;
const different = (table: string) => `the copied rows of the table ${table} are different`;
