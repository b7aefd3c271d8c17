/**
 * A backup is one gzip file of lines, readable with `zcat`: a head, then tables and their rows, sequences, files in
 * pieces, and an end with counts. A file without its end is truncated and is not restored. Since version 2 a checksum
 * follows the rows of a table and the pieces of a file.
 */
import { hash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readMigrations } from '../db/migrate.ts';
import { BackupError } from './backup-error.ts';

export const formatVersion = 2;

export interface Head {
  talkboardBackup: number;
  version: string;
  createdAt: string;
  /** Of CELLS; absent: the home cell, with the files. */
  cell?: string;
  migrations: { name: string; checksum: string }[];
}

export interface End {
  end: true;
  rows: number;
  files: number;
}

/** A row is the text of a JSON array and is passed on unchanged; everything else is an object. */
export type Mark =
  | { table: string; columns: string[] }
  | { tableRows: number; sum: string }
  | { sequence: string; value: string }
  | { file: string; mode: number }
  | { data: string }
  | { fileBytes: number; sha256: string }
  | End;

export function isRow(line: string): boolean {
  return line.startsWith('[');
}

/** The rows of a table in any order: a database does not return them in the order in which they were written. */
export class RowSum {
  rows = 0;
  #sum = 0n;

  add(row: string): void {
    this.rows++;
    this.#sum = BigInt.asUintN(64, this.#sum + hash('sha256', row, 'buffer').readBigUInt64BE());
  }

  get sum(): string {
    return this.#sum.toString(16).padStart(16, '0');
  }
}

const newline = 0x0a;

/** Split at line feeds only; Node's readline also splits at U+2028, which may occur inside a text. */
export async function* readLines(packed: Readable): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  const unpacked: AsyncIterable<Buffer> = pipeline(packed, createGunzip(), () => {});
  try {
    for await (const chunk of unpacked) {
      let begin = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, begin)) {
        rest.push(chunk.subarray(begin, end));
        yield Buffer.concat(rest).toString('utf8');
        rest = [];
        begin = end + 1;
      }
      if (begin < chunk.length) rest.push(chunk.subarray(begin));
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new BackupError(
      `the backup cannot be read (${code ?? (error as Error).message}): it is incomplete`,
    );
  }
}

export function readHead(line: string | undefined): Head {
  let head: Partial<Head> = {};
  try {
    head = JSON.parse(line ?? '');
  } catch {}
  if (!head?.talkboardBackup) throw new BackupError('this file is not a Talkboard backup');
  const known = new Map(readMigrations().map(({ name, checksum }) => [name, checksum]));
  const foreign = (head.migrations ?? []).filter(({ name, checksum }) => known.get(name) !== checksum);
  if (head.talkboardBackup > formatVersion || foreign.length > 0) {
    throw new BackupError(`the backup was made by ${head.version}, which this release cannot read`);
  }
  return head as Head;
}
