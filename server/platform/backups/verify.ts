/**
 * Restores a backup as it is stored into a scratch database, reads every row back and compares it with what the backup
 * holds. The files are compared with their checksums.
 */
import type { Readable } from 'node:stream';
import type { ClientConfig } from 'pg';
import { BackupError } from './backup-error.ts';
import { decrypt } from './encryption.ts';
import { type Head, RowSum, readHead, readLines } from './format.ts';
import { load, noFiles } from './load.ts';
import { openRestoreTarget } from './restore.sql.ts';
import { withScratch } from './scratch.sql.ts';

export interface Verified {
  head: Head;
  tables: number;
  rows: number;
  files: number;
}

export interface VerifyOptions {
  stored: Readable;
  privateKeys: readonly string[];
  /** Where a scratch database is created. */
  server: ClientConfig;
  /** Called often: throws to stop. */
  onStep?(): void;
}

export async function verifyBackup(options: VerifyOptions): Promise<Verified> {
  const { stored, privateKeys, server, onStep = () => {} } = options;
  try {
    const lines = stepping(readLines(await decrypt(stored, privateKeys)), onStep);
    const first = (await lines.next()).value;
    // What is no backup needs no database.
    readHead(first);
    return await withScratch(server, async (scratch) => {
      const target = await openRestoreTarget(scratch);
      try {
        const { head, tables, rows, fileNames } = await load({
          lines: startingWith(first, lines),
          target,
          files: noFiles,
        });
        for (const { table, sum } of tables) {
          const back = new RowSum();
          for await (const batch of target.readBack(table)) {
            onStep();
            for (const row of batch) back.add(row);
          }
          if (back.rows !== sum.rows) {
            throw new BackupError(
              `the table ${table.name} has ${sum.rows} rows, of which ${back.rows} were restored`,
            );
          }
          if (back.sum !== sum.sum) {
            throw new BackupError(`restored rows of the table ${table.name} are different`);
          }
        }
        return { head, tables: tables.length, rows, files: fileNames.length };
      } finally {
        await target.close();
      }
    });
  } finally {
    stored.destroy();
  }
}

async function* stepping(lines: AsyncGenerator<string>, onStep: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onStep();
    yield line;
  }
}

async function* startingWith(first: string, lines: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* lines;
}
