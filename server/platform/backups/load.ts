/** Reads a backup line by line into a database and a store of files. Nothing is changed before its end was seen. */
import { createHash, type Hash } from 'node:crypto';
import { BackupError } from './backup-error.ts';
import { type Head, isRow, RowSum, readHead, readMark } from './format.ts';
import type { RestoreTarget } from './restore.sql.ts';
import type { TableShape } from './snapshot.sql.ts';

const batchBytes = 2 * 2 ** 20;
const batchRows = 5_000;

export interface FileSink {
  begin(name: string, mode: number): void;
  write(data: Buffer): void;
  /** The last file is complete. */
  end(): void;
}

/** They are compared with their checksums only. */
export const noFiles: FileSink = { begin() {}, write() {}, end() {} };

export interface LoadOptions {
  lines: AsyncGenerator<string>;
  target: Pick<RestoreTarget, 'begin' | 'rebuild' | 'insert' | 'setSequence'>;
  files: FileSink;
  /** May refuse it, before anything is done. */
  onHead?(head: Head): void;
  /** The row as it is to be inserted; null: not at all. */
  change?(table: TableShape): ((row: string) => string | null) | null;
}

export interface Loaded {
  head: Head;
  rows: number;
  fileNames: string[];
  /** As they were inserted. */
  tables: { table: TableShape; sum: RowSum }[];
}

/** The caller commits. */
export async function load({ lines, target, files, onHead, change }: LoadOptions): Promise<Loaded> {
  const head = readHead((await lines.next()).value);
  onHead?.(head);
  await target.begin();
  await target.rebuild(head.migrations.map(({ name }) => name));
  const loaded: Loaded = { head, rows: 0, fileNames: [], tables: [] };
  let table: TableShape | null = null;
  let changeRow: ((row: string) => string | null) | null = null;
  let read = new RowSum();
  let inserted = read;
  let file: { bytes: number; hash: Hash } | null = null;
  let batch: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (table && batch.length > 0) await fitting(`rows of ${table.name}`, target.insert(table, batch));
    batch = [];
    bytes = 0;
  };

  for await (const line of lines) {
    if (isRow(line)) {
      read.add(line);
      loaded.rows++;
      const row = changeRow ? changeRow(line) : line;
      if (row === null) continue;
      if (changeRow) inserted.add(row);
      batch.push(row);
      bytes += row.length;
      if (bytes >= batchBytes || batch.length >= batchRows) await flush();
      continue;
    }
    const mark = readMark(line);
    if ('data' in mark) {
      const data = Buffer.from(mark.data, 'base64');
      if (!file) throw new BackupError('the backup is damaged: it contains data without a file');
      file.bytes += data.length;
      file.hash.update(data);
      files.write(data);
      continue;
    }
    await flush();
    if ('table' in mark) {
      table = { name: mark.table, columns: mark.columns };
      changeRow = change?.(table) ?? null;
      read = new RowSum();
      inserted = changeRow ? new RowSum() : read;
      loaded.tables.push({ table, sum: inserted });
    } else if ('tableRows' in mark) {
      if (read.rows !== mark.tableRows || read.sum !== mark.sum) {
        throw new BackupError(
          `the backup is damaged: the rows of ${table?.name} do not match their checksum`,
        );
      }
    } else if ('sequence' in mark) {
      if (!change) await fitting('its sequences', target.setSequence(mark.sequence, mark.value));
    } else if ('file' in mark) {
      loaded.fileNames.push(mark.file);
      file = { bytes: 0, hash: createHash('sha256') };
      files.begin(mark.file, mark.mode);
    } else if ('fileBytes' in mark) {
      if (file?.bytes !== mark.fileBytes || file.hash.digest('hex') !== mark.sha256) {
        throw new BackupError(
          `the backup is damaged: ${loaded.fileNames.at(-1)} does not match its checksum`,
        );
      }
    } else if (mark.rows === loaded.rows && mark.files === loaded.fileNames.length) {
      files.end();
      // The packed and the encrypted form end with checksums of their own.
      for await (const more of lines)
        throw new BackupError(`the backup is damaged: ${more.length} characters follow its end`);
      return loaded;
    } else throw new BackupError('the backup does not match its own summary: nothing was changed');
  }
  throw new BackupError('the backup is truncated: nothing was changed');
}

/** What the database refuses as data is not what a backup of this release holds. */
async function fitting(what: string, done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string' || !/^(22|23|42)\w{3}$/.test(code)) throw error;
    throw new BackupError(`the backup is damaged: ${what} do not fit the database (${code})`);
  }
}
