/** The result of each row, as a file with the columns of the original: it can be corrected and imported again. */
import { Readable } from 'node:stream';
import { type ImportResult, importResultColumns } from '../../../contract/crm/imports.ts';
import { csvLine, decodeCell, defuse, undoDefuse } from '../../platform/csv/csv.ts';
import type { RawCell } from '../../platform/csv/read-csv.ts';
import type { Reader } from '../../platform/db/db.ts';
import { chunksOf, readDataRows } from './imports.format.ts';
import type { OpenFile } from './imports.inspect.ts';
import { type ImportRow, type RowResult, selectResults } from './imports.sql.ts';

/** Without a byte order mark spreadsheets assume their own legacy encoding. */
const byteOrderMark = '\ufeff';
const batchesAtOnce = 5;

/** The caller opens the file before the response starts; it is closed however the response ends. */
export function resultsStream(...[db, found, file, only]: Parameters<typeof writeResults>): Readable {
  const answer = Readable.from(writeResults(db, found, file, only));
  // If the client leaves before the first step, the generator has not started and its `finally` never runs.
  answer.once('close', () => file.destroy());
  return answer;
}

async function* writeResults(
  db: Reader,
  found: ImportRow,
  file: Awaited<ReturnType<OpenFile>>,
  only: ImportResult | undefined,
): AsyncGenerator<string> {
  const { separator } = found.format;
  const columns = found.columns.filter((column) => !column.isResult);
  const line = (cells: string[]) => csvLine(cells, separator);
  yield byteOrderMark + line([...columns.map((column) => defuse(column.name)), ...importResultColumns]);
  const results = new ResultReader(db, found);
  for await (const rows of readDataRows(chunksOf(file), found.format)) {
    let text = '';
    for (const { row, cells } of rows) {
      if (row > found.rowsDone) break;
      const [result, recordId, error] = await results.of(row);
      if (only !== undefined && result !== only) continue;
      text += line([
        ...columns.map(({ index }) => cellText(cells[index] ?? '')),
        result,
        recordId ?? '',
        defuse(error ?? '').replace(/^'$/, ''),
      ]);
    }
    if (text) yield text;
    if ((rows.at(-1)?.row ?? 0) >= found.rowsDone) return;
  }
}

/** Row by row, read in batches. */
class ResultReader {
  readonly #db: Reader;
  readonly #found: ImportRow;
  #first = 1;
  #results: RowResult[] = [];

  constructor(db: Reader, found: ImportRow) {
    this.#db = db;
    this.#found = found;
  }

  async of(row: number): Promise<RowResult> {
    if (row >= this.#first + this.#results.length) {
      const { accountId, id } = this.#found;
      const batches = await selectResults(this.#db, accountId, id, row - 1, batchesAtOnce);
      // The import was removed while its results were being read: the file must not look complete.
      if (batches[0]?.firstRow !== row) throw new Error('the results of this import have been removed');
      this.#first = row;
      this.#results = batches.flatMap((batch) => batch.results);
    }
    return this.#results[row - this.#first]!;
  }
}

/** Escaped; an existing apostrophe is not doubled, because an import removes one. */
function cellText(cell: RawCell): string {
  if (cell === '') return '';
  try {
    return defuse(undoDefuse(decodeCell(cell, '')));
  } catch {
    return defuse(Buffer.from(cell, 'latin1').toString('utf8').replaceAll('\0', ''));
  }
}
