/** The accounts in a backup. Only its beginning is read, up to the end of their table. */
import type { Readable } from 'node:stream';
import { BackupError } from './backup-error.ts';
import { type Head, isRow, RowSum, readHead, readLines, readMark } from './format.ts';

export interface AccountInside {
  id: string;
  name: string;
}

/** `packed`: decrypted. */
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
