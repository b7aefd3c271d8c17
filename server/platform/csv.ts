/**
 * CSV after RFC 4180: read from bytes as they arrive, written so that a spreadsheet runs nothing of it. Cells are
 * read as one character per byte and decoded one by one, so that bytes which are not UTF-8 spoil only their row.
 */
import { isUtf8 } from 'node:buffer';
import { type CsvError, parse } from 'csv-parse';
import { limits } from '../../contract/limits.ts';
import { AppError, badRequest } from './errors.ts';
import { textProblem } from './json-body.ts';

/** One character per byte; `decodeCell` makes text of it. */
export type RawCell = string;

export interface CsvPart {
  rows: RawCell[][];
  /** What the row after the last of `rows` breaks the reading with; nothing comes after it. */
  problem: AppError | null;
}

export interface CsvDialect {
  separator: string;
  /** False: a quote is a character like any other. */
  quotes: boolean;
  /** Rows of nothing but empty cells do not count, as spreadsheets leave them at the end. */
  skipBlankRows: boolean;
}

const rfc4180: CsvDialect = { separator: ',', quotes: true, skipBlankRows: false };

const quote = 0x22;
const newLine = 0x0a;
/** Two empty lines, which are skipped: the parser looks two bytes ahead. */
const padding = Buffer.from('\n\n');

/**
 * Yields the rows that each chunk completes. The parser's own iterator is not used: it forgets rows that were read
 * before a broken one, and it keeps the last row of a chunk back until more bytes come, for ever if the client
 * waits for that row's answer first.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  { separator, quotes: isQuoted, skipBlankRows }: CsvDialect = rfc4180,
): AsyncGenerator<CsvPart> {
  let rows: RawCell[][] = [];
  const parser = parse({
    encoding: 'latin1',
    delimiter: separator,
    quote: isQuoted ? '"' : null,
    skip_records_with_empty_values: skipBlankRows,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.csvRowBytes,
    on_record: (row: RawCell[]) => {
      rows.push(row);
      return null;
    },
  });
  parser.on('error', () => {});
  const feed = (bytes: Buffer | null) =>
    new Promise<AppError | null>((resolve) => {
      const done = (error?: Error | null) => resolve(error ? problemOf(error as CsvError) : null);
      if (bytes) parser.write(bytes, done);
      else parser.end(done);
    });

  let unfinished = 0;
  let quotes = 0;
  for await (const chunk of withoutByteOrderMark(chunks)) {
    rows = [];
    if (isQuoted) for (const byte of chunk) if (byte === quote) quotes++;
    let problem = await feed(chunk);
    // With an even number of quotes behind it, a line break is the end of a row.
    if (!problem && quotes % 2 === 0 && chunk.at(-1) === newLine) problem = await feed(padding);
    // Delimiters are not counted by max_record_size: a row of nothing but commas would grow without end.
    unfinished = rows.length > 0 ? 0 : unfinished + chunk.length;
    if (!problem && unfinished > 2 * limits.csvRowBytes) problem = rowTooLarge();
    if (rows.length > 0 || problem) yield { rows, problem };
    if (problem) return;
  }
  rows = [];
  const problem = await feed(null);
  if (rows.length > 0 || problem) yield { rows, problem };
}

const byteOrderMark = Buffer.from('\ufeff');

async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (!start) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < byteOrderMark.length) continue;
    const marked = start.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    if (!marked || start.length > byteOrderMark.length)
      yield start.subarray(marked ? byteOrderMark.length : 0);
    start = null;
  }
  if (start && start.length > 0) yield start;
}

const rowTooLarge = () =>
  new AppError(
    413,
    'PAYLOAD_TOO_LARGE',
    `the row is larger than ${limits.csvRowBytes} bytes; perhaps a quote is not closed`,
    undefined,
    { kind: 'rowTooLarge', limit: limits.csvRowBytes },
  );

function problemOf(error: CsvError): AppError {
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return rowTooLarge();
    case 'CSV_QUOTE_NOT_CLOSED':
      return badRequest('the quoting is broken: a quote is opened and never closed', {
        kind: 'quoteOpen',
      });
    case 'CSV_INVALID_CLOSING_QUOTE':
      return badRequest(
        'the quoting is broken: after a closing quote comes neither a separator nor a line break',
        { kind: 'quoteFollowed' },
      );
    case 'INVALID_OPENING_QUOTE':
      return badRequest('the quoting is broken: a quote stands inside a cell that does not begin with one', {
        kind: 'quoteInside',
      });
  }
  throw error;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is one byte in UTF-8, but NUL
const plainAscii = /^[\x01-\x7f]*$/;

export function decodeCell(cell: RawCell, name: string): string {
  if (plainAscii.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  if (!isUtf8(bytes)) throw badRequest(`${name} is not valid UTF-8`, { kind: 'notUtf8' });
  const text = bytes.toString('utf8');
  const problem = textProblem(text);
  if (problem) throw badRequest(`${name} ${problem}`, { kind: 'unstorable' });
  return text;
}

/**
 * What makes a spreadsheet take a cell for a formula: the four signs, also in their full-width, small and
 * mathematical forms, also behind white space and invisible characters that it strips; tab and line breaks alone.
 */
const formula = String.raw`[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]`;
/** Apostrophes in front count too, and so does nothing at all: only then is every text told from every other. */
const needsApostrophe = new RegExp(`^'*(?:${formula}|$)`, 'u');
const hasApostrophe = new RegExp(`^'+(?:${formula}|$)`, 'u');

/** A text as a cell that is shown and never run. The empty text becomes a lone apostrophe; an empty cell means unset. */
export function defuse(text: string): string {
  return needsApostrophe.test(text) ? `'${text}` : text;
}

export function undoDefuse(cell: string): string {
  return hasApostrophe.test(cell) ? cell.slice(1) : cell;
}

export function csvLine(cells: readonly string[], separator = ','): string {
  return `${cells.map(quoteCell).join(separator)}\r\n`;
}

/** Semicolons and tabs are quoted too: some spreadsheets split at them whatever the file says. */
function quoteCell(cell: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
