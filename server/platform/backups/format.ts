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
const notABackup = 'this file is not a Talkboard backup, or its beginning is damaged';

/** Split at line feeds only; Node's readline also splits at U+2028, which may occur inside a text. */
export async function* readLines(packed: Readable): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let isFirst = true;
  const unpacked: AsyncIterable<Buffer> = pipeline(packed, createGunzip(), () => {});
  try {
    for await (const chunk of unpacked) {
      let begin = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, begin)) {
        rest.push(chunk.subarray(begin, end));
        yield Buffer.concat(rest).toString('utf8');
        rest = [];
        isFirst = false;
        begin = end + 1;
      }
      if (begin < chunk.length) rest.push(chunk.subarray(begin));
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(reasonOf(error as NodeJS.ErrnoException, isFirst));
  }
}

/** What a stream of packed or encrypted bytes says, in one sentence. */
function reasonOf({ code, message }: NodeJS.ErrnoException, isFirst: boolean): string {
  if (code === 'Z_BUF_ERROR') return 'the backup is truncated: a part at its end is missing';
  if (code === 'Z_DATA_ERROR' && isFirst) return notABackup;
  // Of the stream that decrypts: each piece has a checksum of its own, and the last piece is marked.
  if (code?.startsWith('Z_') || code === undefined) {
    return 'the backup is damaged or truncated: its bytes do not match their checksum';
  }
  return `the backup cannot be read (${code ?? message})`;
}

export function readHead(line: string | undefined): Head {
  const head = (line === undefined ? null : parsed(line)) as Partial<Head> | null;
  if (typeof head?.talkboardBackup !== 'number') throw new BackupError(notABackup);
  const { migrations, version } = head;
  if (typeof version !== 'string' || !Array.isArray(migrations) || !migrations.every(isMigration)) {
    throw new BackupError('the backup is damaged: its first line cannot be read');
  }
  const known = new Map(readMigrations().map(({ name, checksum }) => [name, checksum]));
  const foreign = migrations.filter(({ name, checksum }) => known.get(name) !== checksum);
  if (head.talkboardBackup > formatVersion || foreign.length > 0) {
    throw new BackupError(`the backup was made by ${version}, which this release cannot read`);
  }
  return head as Head;
}

function isMigration(value: unknown): boolean {
  const { name, checksum } = (value ?? {}) as Partial<Head['migrations'][number]>;
  return typeof name === 'string' && typeof checksum === 'string';
}

const markForms: readonly Readonly<Record<string, (value: unknown) => boolean>>[] = [
  { table: isText, columns: (value) => Array.isArray(value) && value.every(isText) },
  { tableRows: isCount, sum: isText },
  { sequence: isText, value: isText },
  { file: isText, mode: isCount },
  { data: isText },
  { fileBytes: isCount, sha256: isText },
  { end: (value) => value === true, rows: isCount, files: isCount },
];

export function readMark(line: string): Mark {
  const mark = parsed(line) as Record<string, unknown> | null;
  const isKnown = markForms.some((form) => Object.entries(form).every(([name, is]) => is(mark?.[name])));
  if (!isKnown) throw new BackupError('the backup is damaged: a line of it cannot be read');
  return mark as Mark;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value);
}
