/**
 * Restores one account from a backup of the whole database, in place of the account that was deleted. Only its rows go
 * into a scratch database, which is migrated to this release. From there they are copied in one transaction, like those
 * of an account that moves to another cell.
 */

import type { Readable } from 'node:stream';
import type { ClientConfig } from 'pg';
import { claimEmail, confirmAccount, locateAccount, releaseEmails } from '../cells/directory.sql.ts';
import { atOnce } from '../cells/move/copy.ts';
import {
  beginLiveLog,
  closeRows,
  deleteAllRows,
  fetchRows,
  openRows,
  setForm,
  writeRows,
} from '../cells/move/rows.sql.ts';
import { type MovedTable, readTables } from '../cells/move/tables.ts';
import { createDb, type Db, isUniqueViolation, type Tx } from '../db/db.ts';
import { migrate } from '../db/migrate.ts';
import { takeBackLiveChanges } from '../events/live-changes.ts';
import { allowWaiting, findAccountName, hasFiles, selectEmails, selectTaken } from './account.sql.ts';
import { BackupError } from './backup-error.ts';
import { type Head, isRow, RowSum, readHead, readLines, readMark } from './format.ts';
import { type FileSink, load, noFiles } from './load.ts';
import type { FileRestorer } from './restore.files.ts';
import { openRestoreTarget } from './restore.sql.ts';
import { withScratch } from './scratch.sql.ts';
import type { TableShape } from './snapshot.sql.ts';

export interface AccountRestore {
  /** Decrypted. */
  packed: Readable;
  /** The same, of the home cell, which has the files of all cells; null: its files are in `packed`, or it has none. */
  filesFrom: (() => Promise<Readable>) | null;
  accountId: string;
  /** Must be the name that the account has in the backup. */
  confirm: string;
  db: Db;
  /** The name of the cell of `db`. */
  cell: string;
  /** With the directory; null: there is one database. */
  home: Db | null;
  files: FileRestorer;
  scratch: ClientConfig;
  /** In the transaction of the rows. */
  onCopied(tx: Tx): Promise<void>;
}

export async function restoreAccount(
  options: AccountRestore,
): Promise<{ name: string; rows: number; files: number }> {
  const { accountId, db, cell, home, scratch } = options;
  const place = home ? await locateAccount(home, accountId) : await findAccountName(db, accountId);
  if (place !== null) {
    // Read to its end first: an account must not be deleted for a damaged backup.
    await readPast(options.packed, cell, noFiles);
    if (options.filesFrom) await readPast(await options.filesFrom(), 'home', noFiles);
    throw new BackupError(
      `the account ${accountId} exists: delete it first, its rows are not mixed with those of a backup`,
    );
  }
  return withScratch(scratch, async (connection) => {
    const target = await openRestoreTarget(connection);
    const files = filesOf(options.files, accountId);
    try {
      await load({
        lines: readLines(options.packed),
        target,
        files,
        onHead: (head) => checkCell(head, cell),
        change: (table) => onlyOf(table, accountId),
      });
      await target.commit();
      if (options.filesFrom) await readPast(await options.filesFrom(), 'home', files);
    } finally {
      await target.close();
    }
    const source = createDb({ connection, poolSize: 2 });
    try {
      await migrate(source);
      const name = await findAccountName(source, accountId);
      if (name === null) throw new BackupError(`the backup holds no account ${accountId}`);
      if (options.confirm !== name) throw new BackupError(`--confirm must be "${name}", as it is written`);
      if (cell !== 'home' && !options.filesFrom && (await hasFiles(source, accountId))) {
        throw new BackupError(
          'the account has files, which are in the backup of the home cell: name one of that time with --files-from',
        );
      }
      await claimEmails(options, await selectEmails(source, accountId));
      const rows = await copy(options, source).catch(async (error) => {
        await home?.transaction((tx) => releaseEmails(tx, accountId)).catch(() => {}); // cells repair finds them
        throw error;
      });
      if (home && cell !== 'home') await home.transaction((tx) => confirmAccount(tx, accountId, cell));
      return { name, rows, files: files.count() };
    } finally {
      await source.close();
    }
  });
}

function checkCell(head: Head, cell: string): void {
  if ((head.cell ?? 'home') !== cell) {
    throw new BackupError(`this is a backup of the cell ${head.cell ?? 'home'}, not of ${cell}`);
  }
}

/** All of it is compared with its checksums; no row is stored. */
async function readPast(packed: Readable, cell: string, files: FileSink): Promise<void> {
  await load({
    lines: readLines(packed),
    target: {
      begin: async () => {},
      rebuild: async () => {},
      insert: async () => {},
      setSequence: async () => {},
    },
    files,
    onHead: (head) => checkCell(head, cell),
    change: () => () => null,
  });
}

function onlyOf({ name, columns }: TableShape, accountId: string): (row: string) => string | null {
  const place = columns.indexOf(name === 'accounts' ? 'id' : 'account_id');
  // Most rows of other accounts are recognised without parsing them.
  return (row) =>
    place >= 0 && row.includes(accountId) && JSON.parse(row)[place] === accountId ? row : null;
}

function filesOf(files: FileRestorer, accountId: string): FileSink & { count(): number } {
  let count = 0;
  let isOwn = false;
  return {
    begin(name, mode) {
      isOwn = name.startsWith('files/') && name.split('/').includes(accountId);
      if (isOwn) {
        files.begin(name, mode);
        count++;
      }
    },
    write(data) {
      if (isOwn) files.write(data);
    },
    end: () => files.end(),
    count: () => count,
  };
}

/** Another account may use an address of the account by now. */
async function claimEmails(
  { db, home, accountId }: AccountRestore,
  emails: readonly string[],
): Promise<void> {
  const taken = await selectTaken(db, emails);
  if (home && taken.length === 0) {
    await home.transaction(async (tx) => {
      for (const email of emails) if ((await claimEmail(tx, email, accountId)) !== null) taken.push(email);
      if (taken.length > 0) throw refusal(taken);
    });
  }
  if (taken.length > 0) throw refusal(taken);
}

const refusal = (taken: readonly string[]) =>
  new BackupError(
    `users of other accounts have these e-mail addresses now: ${taken.join(', ')}. Change or delete those users first`,
  );

async function copy({ db, accountId, files, onCopied }: AccountRestore, source: Db): Promise<number> {
  const tables = (await readTables(db)).map(strict);
  try {
    return await db.transaction(async (tx) => {
      await allowWaiting(tx);
      await setForm(tx);
      // It must not be created meanwhile.
      if ((await findAccountName(tx, accountId)) !== null)
        throw new BackupError(`the account ${accountId} exists`);
      let count = 0;
      await atOnce({ source }, async (from) => {
        for (const table of tables) count += await copyTable(from, tx, table, accountId);
      });
      await onCopied(tx);
      // Its rows are no news.
      await takeBackLiveChanges(tx, accountId, { except: '' });
      await beginLiveLog(tx, accountId);
      // Last: a file without a row is harmless, a row without its file is not.
      await files.putInPlace();
      return count;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const { constraint, table } = error as { constraint?: string; table?: string };
    throw new BackupError(
      `another account has a row that the backup needs (table ${table}, ${constraint}): nothing was changed`,
    );
  }
}

/** Rows of other accounts stay as they are: a row that exists already is an error, or theirs where it is contested. */
function strict(table: MovedTable): MovedTable {
  if (table.onConflict) return { ...table, onConflict: 'on conflict do nothing' };
  return table.key.includes('account_id') || table.name === 'accounts'
    ? table
    : { ...table, onConflict: ' ' };
}

async function copyTable(from: Tx, to: Tx, table: MovedTable, accountId: string): Promise<number> {
  let count = 0;
  // What triggers of other tables have written.
  await deleteAllRows(to, table, accountId);
  await openRows(from, table, accountId);
  for (;;) {
    const rows = await fetchRows(from);
    if (rows.length === 0) break;
    await writeRows(to, table, rows);
    count += rows.length;
  }
  await closeRows(from);
  return count;
}

export interface AccountInside {
  id: string;
  name: string;
}

/** The accounts in a backup. Only its beginning is read, up to the end of their table. `packed`: decrypted. */
export async function readAccounts(packed: Readable): Promise<{ head: Head; accounts: AccountInside[] }> {
  const lines = readLines(packed);
  const head = readHead((await lines.next()).value);
  const accounts: AccountInside[] = [];
  let columns: string[] | null = null;
  const sum = new RowSum();
  for await (const line of lines) {
    if (isRow(line)) {
      if (columns === null) continue;
      sum.add(line);
      accounts.push(readAccount(line, columns));
      continue;
    }
    const mark = readMark(line);
    if (columns === null) {
      if ('table' in mark && mark.table === 'accounts') columns = mark.columns;
    } else if ('tableRows' in mark && sum.rows === mark.tableRows && sum.sum === mark.sum) {
      return {
        head,
        accounts: accounts.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1)),
      };
    } else break;
  }
  throw new BackupError('the backup is damaged: its list of accounts cannot be read');
}

function readAccount(line: string, columns: readonly string[]): AccountInside {
  try {
    const row = JSON.parse(line) as unknown[];
    return { id: String(row[columns.indexOf('id')]), name: String(row[columns.indexOf('name')]) };
  } catch {
    throw new BackupError('the backup is damaged: a line of it cannot be read');
  }
}
