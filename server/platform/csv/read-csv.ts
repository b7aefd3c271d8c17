/**
 * Reads the rows of a CSV file (RFC 4180) from bytes as they arrive. A row that cannot be read, such as one with a stray
 * quote, is reported and reading continues with the next line.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, type Parser, parse } from 'csv-parse';
import { limits } from '../../../contract/limits.ts';
import { AppError, badRequest } from '../http/errors.ts';

/** One character per byte, so that bytes which are not UTF-8 spoil only their cell. `decodeCell` makes text of it. */
export type RawCell = string;

export interface CsvRow {
  /** If the row has a problem: its first line, as one cell. */
  cells: RawCell[];
  problem: AppError | null;
}

export interface CsvDialect {
  separator: string;
  /** False: a quote is a character like any other. */
  quotes: boolean;
  /** Leaves out rows of empty cells, which spreadsheets write at the end. */
  skipBlankRows: boolean;
}

const rfc4180: CsvDialect = { separator: ',', quotes: true, skipBlankRows: false };

/** Yields the rows that each chunk completes. Throws when so many cannot be read that the file is not CSV. */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect = rfc4180,
): AsyncGenerator<CsvRow[]> {
  const reader = new RowReader(dialect);
  for await (const chunk of withoutByteOrderMark(chunks)) {
    const rows = await reader.read(chunk);
    if (rows.length > 0) yield rows;
    if (reader.isHopeless) throw tooManyBroken();
  }
  const rows = await reader.end();
  if (rows.length > 0) yield rows;
  if (reader.isHopeless) throw tooManyBroken();
}

const quote = 0x22;
const newLine = 0x0a;
const carriageReturn = 0x0d;
const none = Buffer.alloc(0);
/** About a millisecond of work. */
const brokenPerTurn = 8;
/** Two empty lines, which are skipped: the parser looks two bytes ahead. */
const padding = Buffer.from('\n\n');

/**
 * The parser's own iterator is not used: it forgets rows that were read before a broken one, and it keeps the last row
 * of a chunk until more bytes come, forever if the client waits for that row's answer first.
 */
class RowReader {
  readonly #dialect: CsvDialect;
  #parser: Parser;
  #rows: CsvRow[] = [];
  /** What the parser has received since the last complete row. A broken row starts here. */
  #pending: Buffer[] = [];
  /** Positions of the first pending byte and of the end of the last row, as the parser counts. */
  #pendingStart = 0;
  #rowEnd = 0;
  #received = 0;
  #quotes = 0;
  #broken = 0;
  /** The rest of a broken line has not arrived yet. */
  #skipsLine = false;

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect;
    this.#parser = this.#createParser();
  }

  async read(chunk: Buffer): Promise<CsvRow[]> {
    this.#rows = [];
    await this.#parseAll(this.#skipsLine ? this.#skipLine(chunk) : chunk);
    return this.#rows;
  }

  async end(): Promise<CsvRow[]> {
    this.#rows = [];
    for (;;) {
      const problem = await this.#feed(null);
      this.#dropRead();
      if (!problem || this.isHopeless) return this.#rows;
      await this.#parseAll(this.#skipBroken(problem));
    }
  }

  /** A broken row costs a new parser: a file of nothing else must not keep the process from its other work. */
  async #parseAll(bytes: Buffer): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      rest = await this.#parse(rest);
      if (this.isHopeless) return;
      if (this.#broken % brokenPerTurn === 0) await nextTurn();
    }
  }

  get isHopeless(): boolean {
    return this.#broken > limits.csvBrokenRows;
  }

  /** Returns what follows a broken row, or nothing. */
  async #parse(bytes: Buffer): Promise<Buffer> {
    this.#pending.push(bytes);
    let problem = await this.#feed(bytes);
    // After an even number of quotes, a line break ends a row.
    if (!problem && this.#hasClosedQuotes(bytes) && bytes.at(-1) === newLine) {
      problem = await this.#feed(padding);
      if (!problem) this.#rowEnd = this.#received;
    }
    this.#dropRead();
    const unfinished = this.#received - this.#pendingStart;
    // The parser's own limit does not count separators: a row of nothing but commas would grow without end.
    if (!problem && unfinished > 2 * limits.csvRowBytes) problem = rowTooLarge();
    return problem ? this.#skipBroken(problem) : none;
  }

  #hasClosedQuotes(bytes: Buffer): boolean {
    if (this.#dialect.quotes) for (const byte of bytes) if (byte === quote) this.#quotes++;
    return this.#quotes % 2 === 0;
  }

  #feed(bytes: Buffer | null): Promise<AppError | null> {
    this.#received += bytes?.length ?? 0;
    return new Promise((resolve) => {
      const done = (error?: Error | null) => resolve(error ? problemOf(error as CsvError) : null);
      if (bytes) this.#parser.write(bytes, done);
      else this.#parser.end(done);
    });
  }

  #dropRead(): void {
    let read = this.#rowEnd - this.#pendingStart;
    while (read > 0 && this.#pending.length > 0) {
      const first = this.#pending[0]!;
      if (first.length > read) this.#pending[0] = first.subarray(read);
      else this.#pending.shift();
      read -= first.length;
    }
    this.#pendingStart = this.#rowEnd;
  }

  /** Reports the first line of the broken row and returns what follows it, for a new parser. */
  #skipBroken(problem: AppError): Buffer {
    this.#broken++;
    let bytes = Buffer.concat(this.#pending);
    this.#parser.destroy();
    this.#parser = this.#createParser();
    this.#pending = [];
    this.#received = this.#pendingStart = this.#rowEnd = this.#quotes = 0;
    let line = lineOf(bytes);
    // Empty lines before the row were skipped.
    while (line.length === 0 && bytes.length > 0) {
      bytes = bytes.subarray(1);
      line = lineOf(bytes);
    }
    this.#rows.push({ cells: [line.toString('latin1', 0, limits.csvRowBytes)], problem });
    this.#skipsLine = line.length === bytes.length;
    return bytes.subarray(line.length);
  }

  #skipLine(chunk: Buffer): Buffer {
    const skipped = lineOf(chunk).length;
    this.#skipsLine = skipped === chunk.length;
    return chunk.subarray(skipped);
  }

  #createParser(): Parser {
    const { separator, quotes, skipBlankRows } = this.#dialect;
    const parser = parse({
      encoding: 'latin1',
      delimiter: separator,
      quote: quotes ? '"' : null,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: limits.csvRowBytes,
      on_record: (cells: RawCell[], { bytes }) => {
        this.#rowEnd = bytes;
        const isBlank = skipBlankRows && cells.every((cell) => cell.trim() === '');
        if (!isBlank) this.#rows.push({ cells, problem: null });
        return null;
      },
    });
    parser.on('error', () => {});
    return parser;
  }
}

/** Up to the first line break, which is not part of it. */
function lineOf(bytes: Buffer): Buffer {
  const end = bytes.findIndex((byte) => byte === newLine || byte === carriageReturn);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

const byteOrderMark = Buffer.from('\ufeff');

async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = none;
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

const tooManyBroken = () =>
  badRequest(`more than ${limits.csvBrokenRows} rows cannot be read; check how the file was saved`, {
    kind: 'tooManyBroken',
    limit: limits.csvBrokenRows,
  });

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
      return badRequest('the quoting is broken: a quote appears inside an unquoted cell', {
        kind: 'quoteInside',
      });
  }
  throw error;
}
