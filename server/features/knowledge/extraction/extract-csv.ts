/** Questions and answers: a heading for each question, so that each row is a passage of its own. */
import { decodeCell } from '../../../platform/csv/csv.ts';
import { type CsvRow, readCsv } from '../../../platform/csv/read-csv.ts';
import { checkLength, decodeText } from './extracted-text.ts';
import { ExtractionProblem } from './extraction.problem.ts';
import type { Extracted, ExtractionRequest } from './extraction.ts';

const chunkBytes = 64 * 1024;
const separators = [',', ';', '\t'];

export async function extractCsv({ bytes }: ExtractionRequest): Promise<Extracted> {
  const content = decodeText(bytes);
  let columns: Columns | null = null;
  let number = 0;
  let length = 0;
  const parts: string[] = [];
  for await (const rows of rowsOf(content)) {
    for (const row of rows) {
      number++;
      if (row.problem) throw new ExtractionProblem('broken', `row ${number}: ${row.problem.message}`);
      if (columns === null) {
        columns = columnsOf(row);
        continue;
      }
      const part = partOf(row, columns, number);
      length += part.length + 2;
      checkLength(length);
      parts.push(part);
    }
  }
  return { title: '', text: parts.join('\n\n'), language: null, page: null };
}

function rowsOf(content: string): AsyncGenerator<CsvRow[]> {
  const firstLine = content.slice(0, /[\r\n]|$/.exec(content)!.index);
  const separator = separators.find((one) => firstLine.includes(one)) ?? ',';
  return readCsv(chunksOf(Buffer.from(content)), { separator, quotes: true, skipBlankRows: true });
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes);
}

interface Columns {
  question: number;
  answer: number;
}

function columnsOf({ cells }: CsvRow): Columns {
  const names = cells.map((cell) => decodeCell(cell, 'name').trim().toLowerCase());
  const [question, answer] = [names.indexOf('question'), names.indexOf('answer')];
  if (question === -1 || answer === -1) {
    throw new ExtractionProblem('broken', 'its first row does not name the columns question and answer');
  }
  return { question, answer };
}

function partOf({ cells }: CsvRow, columns: Columns, number: number): string {
  const textOf = (name: keyof Columns) => decodeCell(cells[columns[name]] ?? '', name).trim();
  const question = textOf('question').replace(/\s+/g, ' ');
  const answer = textOf('answer');
  if (question === '' || answer === '') {
    const missing = question === '' ? 'question' : 'answer';
    throw new ExtractionProblem('broken', `row ${number} has no ${missing}`);
  }
  return `## ${question}\n\n${answer
    .split(/\r\n|\r|\n/)
    .map(asPlainLine)
    .join('\n')}`;
}

/** A heading in an answer would begin another passage; a block of code might swallow the rows below. */
const asPlainLine = (line: string): string => line.replace(/^( {0,3})(?=#|`{3}|~{3}|=+\s*$|-+\s*$)/, '$1\\');
