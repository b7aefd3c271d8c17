/**
 * A backup is one gzip file of lines, readable with `zcat`: a head, then tables and their rows, sequences, files in
 * pieces, and an end with counts. A file without its end is truncated and is not restored.
 */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../command.ts';

export const formatVersion = 1;

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
  | { sequence: string; value: string }
  | { file: string; mode: number }
  | { data: string }
  | End;

export function isRow(line: string): boolean {
  return line.startsWith('[');
}

const newline = 0x0a;

/** Split at line feeds only; Node's readline also splits at U+2028, which may occur inside a text. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  const unpacked: AsyncIterable<Buffer> = pipeline(createReadStream(path), createGunzip(), () => {});
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
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${path} cannot be read (${code ?? (error as Error).message}): the backup is incomplete`,
    );
  }
}
