/** Reads the bytes of a file as rows of text, in any supported encoding, separator and quoting. */
import type { Readable } from 'node:stream';
import type { ImportFormat } from '../../../contract/crm/imports.ts';
import { type CsvRow, readCsv } from '../../platform/csv/read-csv.ts';

export type Dialect = Pick<ImportFormat, 'encoding' | 'separator' | 'quotes'>;

/** `sep=;` in the first line tells Excel the separator; it is not a row. */
export const separatorLine = /^"?sep=(.)"?(?:\r\n|\r|\n|$)/i;
const longestSeparatorLine = 16;

/** Every row of the file, including the header row. */
export function readRows(bytes: AsyncIterable<Buffer>, dialect: Dialect): AsyncGenerator<CsvRow[]> {
  return readCsv(withoutSeparatorLine(asUtf8(bytes, dialect.encoding)), {
    separator: dialect.separator,
    quotes: dialect.quotes === 'double',
    skipBlankRows: true,
  });
}

export interface NumberedRow extends CsvRow {
  /** From 1, without the header row. */
  row: number;
}

/** The rows after the header row. */
export async function* readDataRows(
  bytes: AsyncIterable<Buffer>,
  { headerRow, ...dialect }: Dialect & Pick<ImportFormat, 'headerRow'>,
): AsyncGenerator<NumberedRow[]> {
  let row = headerRow ? -1 : 0;
  for await (const rows of readRows(bytes, dialect)) {
    yield rows.map((one) => ({ ...one, row: ++row })).filter((one) => one.row > 0);
  }
}

/** UTF-8 is passed through, so that invalid bytes spoil only their own cell. */
async function* asUtf8(
  bytes: AsyncIterable<Buffer>,
  encoding: ImportFormat['encoding'],
): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* withoutMark(bytes);
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

const mark = Buffer.from('\ufeff');

async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* withStart(bytes, mark.length, (start) =>
    start.subarray(0, mark.length).equals(mark) ? start.subarray(mark.length) : start,
  );
}

async function* withoutSeparatorLine(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* withStart(bytes, longestSeparatorLine, (start) => {
    const line = separatorLine.exec(start.subarray(0, longestSeparatorLine).toString('latin1'));
    return line ? start.subarray(line[0].length) : start;
  });
}

/** Changes the first bytes; there are at least this many unless the file is shorter. */
async function* withStart(
  bytes: AsyncIterable<Buffer>,
  length: number,
  change: (start: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (!start) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < length) continue;
    const changed = change(start);
    if (changed.length > 0) yield changed;
    start = null;
  }
  if (start && start.length > 0) yield change(start);
}

const pieceBytes = 16 * 1024;

/**
 * Closes the file however the reading ends. In small chunks: the rows of one wait until their batches are written,
 * and long-lived garbage is collected late.
 */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
    }
  } finally {
    stream.destroy();
  }
}
