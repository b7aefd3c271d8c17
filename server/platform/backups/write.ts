/** The lines of a backup: the tables as of one moment, then the files. */
import { createHash } from 'node:crypto';
import { version } from '../../../contract/version.ts';
import type { DataFile } from './data-files.ts';
import { formatVersion, type Head, RowSum } from './format.ts';
import type { Snapshot } from './snapshot.sql.ts';

export interface Counts {
  tables: number;
  rows: number;
  files: number;
  /** Removed by the running service before they could be read. */
  vanished: number;
}

export async function* linesOf(
  snapshot: Snapshot,
  files: AsyncIterable<DataFile>,
  counts: Counts,
  { cell, now }: { cell: string | null; now: number },
): AsyncGenerator<string> {
  const head: Head = {
    talkboardBackup: formatVersion,
    version,
    createdAt: new Date(now).toISOString(),
    ...(cell !== null && { cell }),
    migrations: snapshot.migrations,
  };
  yield lineOf(head);
  for (const table of snapshot.tables) {
    yield lineOf({ table: table.name, columns: table.columns });
    const sum = new RowSum();
    for await (const rows of snapshot.rows(table)) {
      for (const row of rows) sum.add(row);
      counts.rows += rows.length;
      yield `${rows.join('\n')}\n`;
    }
    yield lineOf({ tableRows: sum.rows, sum: sum.sum });
    counts.tables++;
  }
  for (const { name, value } of snapshot.sequences) yield lineOf({ sequence: name, value });
  for await (const { name, mode, open } of files) {
    const content = await open();
    if (!content) {
      counts.vanished++;
      continue;
    }
    yield lineOf({ file: name, mode });
    const sum = createHash('sha256');
    let fileBytes = 0;
    for await (const piece of content as AsyncIterable<Buffer>) {
      sum.update(piece);
      fileBytes += piece.length;
      yield lineOf({ data: piece.toString('base64') });
    }
    yield lineOf({ fileBytes, sha256: sum.digest('hex') });
    counts.files++;
  }
  yield lineOf({ end: true, rows: counts.rows, files: counts.files });
}

const lineOf = (content: object) => `${JSON.stringify(content)}\n`;
