/** Detects the encoding, separator, quotes and rows of a file. */

import type { Readable } from 'node:stream';
import {
  type ImportFormat,
  type ImportProblem,
  type ImportSeparator,
  importSeparators,
} from '../../../contract/crm/imports.ts';
import { limits } from '../../../contract/limits.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { decodeCell, undoDefuse } from '../../platform/csv/csv.ts';
import type { RawCell } from '../../platform/csv/read-csv.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import { looksLikeNames } from './imports.column-types.ts';
import { chunksOf, type Dialect, readRows, separatorLine } from './imports.format.ts';
import { reasonOf } from './rows/imports.rows.ts';

export interface Inspection {
  format: ImportFormat;
  rows: number;
  rowsAreCounted: boolean;
  /** The first unreadable row. */
  fileProblem: ImportProblem | null;
  /** As in the file; generated if it has none. */
  names: string[];
  /** The first rows after the header row. */
  sample: string[][];
}

/** Opens the file from its beginning. */
export type OpenFile = () => Promise<Readable>;

const headBytes = 64 * 1024;
/** Counting this much takes about a second; the rest of a larger file is estimated. */
const countedBytes = 32 * 1024 * 1024;
const sampleRows = 200;
/** For a cell; no name is longer, and the rest is not used. */
const sampleCellBytes = 1024;
const sampleBytes = 8 * 1024 * 1024;
/** Each reads a file up to four times and keeps its sample: any number of uploads may arrive at once. */
const inspectionsAtOnce = 2;
const turns = createSemaphore(inspectionsAtOnce);
/** The share of rows that must have as many cells as the first for quotes to count as plain characters. */
const evenShare = 0.95;

type GivenFormat = Partial<Omit<ImportFormat, 'byteOrderMark'>>;

export function inspectFile(open: OpenFile, size: number, given: GivenFormat = {}): Promise<Inspection> {
  return turns.take(() => inspect(open, size, given));
}

async function inspect(open: OpenFile, size: number, given: GivenFormat): Promise<Inspection> {
  const head = await readHead(open);
  checkIsText(head);
  const found = await findEncoding(head, open);
  const encoding = given.encoding ?? found.encoding;
  const start = new TextDecoder(encoding).decode(head);
  const separator = given.separator ?? findSeparator(start);
  let dialect: Dialect = { encoding, separator, quotes: given.quotes ?? 'double' };
  let scan = await scanRows(open, size, dialect);
  if (scan.broken && given.quotes === undefined) {
    const plain = { ...dialect, quotes: 'none' as const };
    const again = await scanRows(open, size, plain);
    if (!again.broken && !again.hasQuotedCells && again.evenRows >= again.rows * evenShare)
      [dialect, scan] = [plain, again];
  }
  const [first, ...rest] = scan.sample;
  if (!first) throw badRequest('the file is empty');
  if (scan.ended) throw scan.ended;
  if (scan.broken?.row === 0) throw scan.broken.problem;
  const firstTexts = first.map((cell, index) => textOf(cell, index));
  const sample = rest.map((cells) => cells.map(textOrNothing));
  const headerRow = given.headerRow ?? looksLikeNames(firstTexts, sample);
  const rows = Math.max(0, scan.rows - (headerRow ? 1 : 0));
  return {
    format: { ...dialect, byteOrderMark: found.byteOrderMark, headerRow },
    rows,
    rowsAreCounted: scan.isComplete,
    fileProblem: scan.broken && {
      row: scan.broken.row + (headerRow ? 0 : 1),
      code: scan.broken.problem.code,
      message: scan.broken.problem.message,
      ...reasonOf(scan.broken.problem),
    },
    names: firstTexts.map((text, index) => (headerRow && nameOf(text)) || `Column ${index + 1}`),
    sample: headerRow ? sample : [firstTexts, ...sample],
  };
}

async function readHead(open: OpenFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(await open())) {
    parts.push(chunk);
    length += chunk.length;
    if (length >= headBytes) break;
  }
  return Buffer.concat(parts).subarray(0, headBytes);
}

const otherFiles: [string, string][] = [
  ['504b0304', 'an Excel workbook or another ZIP file: save it as CSV first'],
  ['d0cf11e0', 'an old Excel workbook: save it as CSV first'],
  ['25504446', 'a PDF'],
  ['1f8b', 'compressed: unpack it first'],
  ['89504e47', 'a picture'],
  ['ffd8ff', 'a picture'],
];

function checkIsText(head: Buffer): void {
  if (head.length === 0) throw badRequest('the file is empty');
  const start = head.subarray(0, 4).toString('hex');
  const other = otherFiles.find(([beginning]) => start.startsWith(beginning));
  if (other) throw badRequest(`the file is ${other[1]}`);
}

async function findEncoding(
  head: Buffer,
  open: OpenFile,
): Promise<Pick<ImportFormat, 'encoding' | 'byteOrderMark'>> {
  const mark = head.subarray(0, 3).toString('hex');
  if (mark === 'efbbbf') return { encoding: 'utf-8', byteOrderMark: true };
  if (mark.startsWith('fffe')) return { encoding: 'utf-16le', byteOrderMark: true };
  if (mark.startsWith('feff')) return { encoding: 'utf-16be', byteOrderMark: true };
  const wide = findWideEncoding(head);
  if (wide) return { encoding: wide, byteOrderMark: false };
  return { encoding: (await isUtf8(open)) ? 'utf-8' : 'windows-1252', byteOrderMark: false };
}

/** UTF-16 without a mark: in most languages, every other byte is 0. */
function findWideEncoding(head: Buffer): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++;
  const [even, odd] = zeros as [number, number];
  const enough = (head.length / 2) * 0.4;
  if (odd > enough && even < odd / 10) return 'utf-16le';
  return even > enough && odd < even / 10 ? 'utf-16be' : null;
}

/** The whole file: one accented name may be in its last row. */
async function isUtf8(open: OpenFile): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunksOf(await open())) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

const looked = 100;

/**
 * The separator that splits most of the first lines into as many cells as the first; of two, the one that makes more.
 */
function findSeparator(text: string): ImportSeparator {
  const told = separatorLine.exec(text)?.[1];
  if (importSeparators.some((one) => one === told)) return told as ImportSeparator;
  const lines = countOutsideQuotes(text);
  let best: { separator: ImportSeparator; score: number } = { separator: ',', score: 0 };
  for (const separator of importSeparators) {
    const counts = lines.map((line) => line.get(separator) ?? 0);
    const first = counts[0] ?? 0;
    if (first === 0) continue;
    const even = counts.filter((count) => count === first).length / counts.length;
    const score = even * 10 + Math.min(first, 50) / 50;
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

/** How often each separator occurs in each of the first rows, outside quotes. */
function countOutsideQuotes(text: string): Map<string, number>[] {
  const lines: Map<string, number>[] = [];
  let line = new Map<string, number>();
  let isQuoted = false;
  let isEmpty = true;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      if (!isEmpty) lines.push(line);
      if (lines.length >= looked) return lines;
      line = new Map();
      isEmpty = true;
      continue;
    } else if (!isQuoted && importSeparators.some((one) => one === character)) {
      line.set(character, (line.get(character) ?? 0) + 1);
    }
    isEmpty = false;
  }
  // The last one may be cut off at the end of the sample.
  if (!isEmpty && lines.length === 0) lines.push(line);
  return lines;
}

interface Scan {
  /** All of them, or an estimate. */
  rows: number;
  evenRows: number;
  /** Cells that begin and end with a quote; relevant if quotes count as plain characters. */
  hasQuotedCells: boolean;
  isComplete: boolean;
  sample: RawCell[][];
  /** The first unreadable row; the first row of the file is 0. */
  broken: { row: number; problem: AppError } | null;
  /** Why the file was not read to its end. */
  ended: AppError | null;
}

async function scanRows(open: OpenFile, size: number, dialect: Dialect): Promise<Scan> {
  const scan: Scan = {
    rows: 0,
    evenRows: 0,
    hasQuotedCells: false,
    isComplete: true,
    sample: [],
    broken: null,
    ended: null,
  };
  let read = 0;
  async function* counted() {
    for await (const chunk of chunksOf(await open())) {
      read += chunk.length;
      yield chunk;
    }
  }
  let [width, kept] = [0, 0];
  try {
    for await (const rows of readRows(counted(), dialect)) {
      for (const [index, { cells, problem }] of rows.entries()) {
        if (problem) scan.broken ??= { row: scan.rows + index, problem };
        checkWidth(cells, scan.rows + index);
        if (scan.sample.length === 0) width = cells.length;
        if (scan.sample.length <= sampleRows && kept < sampleBytes) {
          const sampled = cells.map(cutCell);
          kept += sampled.reduce((sum, cell) => sum + cell.length, 0);
          scan.sample.push(sampled);
        }
        if (cells.length === width) scan.evenRows++;
        scan.hasQuotedCells ||= cells.some((cell) => /^".*"$/s.test(cell));
      }
      scan.rows += rows.length;
      if (read >= countedBytes && read < size) {
        scan.isComplete = false;
        scan.rows = Math.round((scan.rows / read) * size);
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.reason?.kind !== 'tooManyBroken') throw error;
    scan.ended = error;
  }
  return scan;
}

function checkWidth({ length }: readonly RawCell[], before: number): void {
  if (length <= limits.importColumns) return;
  const row = before === 0 ? 'the first row' : `row ${before + 1} of the file`;
  throw badRequest(`${row} has ${length} columns; at most ${limits.importColumns} are possible`);
}

/** Not within a character; copied, because a part of a string keeps all of it in memory. */
function cutCell(cell: RawCell): RawCell {
  if (cell.length <= sampleCellBytes) return cell;
  let end = sampleCellBytes;
  while (end > sampleCellBytes - 3 && (cell.charCodeAt(end) & 0xc0) === 0x80) end--;
  return Buffer.from(cell.slice(0, end), 'latin1').toString('latin1');
}

const nameOf = (text: string) => text.trim().slice(0, limits.nameLength).toWellFormed();

function textOf(cell: RawCell, index: number): string {
  return undoDefuse(decodeCell(cell, `the name of column ${index + 1}`));
}

function textOrNothing(cell: RawCell): string {
  try {
    return undoDefuse(decodeCell(cell, ''));
  } catch {
    return '';
  }
}
