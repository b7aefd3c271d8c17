/**
 * Turns rows of a CSV file into records, batch by batch, each in one transaction on one connection. A row's line is
 * sent to the client only after its transaction has committed.
 */
import type { ImportRowResult, ImportSummary } from '../../../../contract/shapes/csv.ts';
import { type CsvRow, readCsv } from '../../../platform/csv/read-csv.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import { AppError, badRequest } from '../../../platform/http/errors.ts';
import type { AnswerStream, BodyReader } from '../../../platform/http/streaming.ts';
import { newId } from '../../../platform/ids.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { requireKanban } from '../../kanbans/kanbans.ts';
import { type CsvColumn, readHeader } from '../../records/records.ts';
import { batchesOf } from '../rows/imports.write.ts';
import { type BatchDeps, type StreamedRow, writeBatch } from './imports.stream.batch.ts';

export interface ImportDeps extends BatchDeps {
  clock: Clock;
}

export interface Import {
  actor: () => Promise<Actor>;
  body: BodyReader;
  kanbanId: string;
  columns: CsvColumn[];
  parts: AsyncIterable<CsvRow[]>;
}

/** Reads and checks the first row; throws before anything is written. */
export async function beginImport(
  deps: ImportDeps,
  body: BodyReader,
  actor: () => Promise<Actor>,
  kanbanId: string | undefined,
): Promise<Import> {
  const caller = await actor();
  const kanban = requireKanban(await deps.definitions.fresh(caller.accountId), caller, kanbanId);
  const parts = readCsv(body.chunks());
  const { value } = await parts.next();
  const [header, ...rows]: CsvRow[] = value ?? [];
  if (!header) throw badRequest('title is required: no row names the columns');
  if (header.problem) throw header.problem;
  const columns = readHeader(kanban, header.cells);
  return { actor, body, kanbanId: kanban.id, columns, parts: withFirst(rows, parts) };
}

async function* withFirst(first: CsvRow[], rest: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  yield first;
  yield* rest;
}

/** Always ends the response with a summary, as long as the client is connected. */
export async function runImport(deps: ImportDeps, job: Import, answer: AnswerStream): Promise<void> {
  const { actor, kanbanId, columns } = job;
  const tally = new Tally();
  let stopped: { row: number; error: AppError } | null = null;
  try {
    for await (const rows of job.parts) {
      for (const some of batchesOf(rows)) {
        job.body.throwIfInterrupted();
        const batch = tally.take(some);
        const now = deps.clock.now();
        const results = await writeBatch(deps, { actor, now, kanbanId, columns, rows: batch });
        await answer.write(tally.lines(results));
        const lost = results.find((result) => result.status === 503);
        if (!lost) continue;
        stopped = { row: lost.row, error: new AppError(503, 'UNAVAILABLE', lost.error!) };
        break;
      }
      if (stopped) break;
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    stopped = { row: tally.answered + 1, error };
  }
  const ignored = columns.filter(({ target }) => target === null);
  await answer.write(
    tally.summary(
      ignored.map((column) => column.name),
      stopped,
    ),
  );
  answer.end();
}

class Tally {
  #taken = 0;
  #created = 0;
  #existing = 0;
  answered = 0;

  take(rows: CsvRow[]): StreamedRow[] {
    return rows.map((row) => ({ ...row, row: ++this.#taken, recordId: newId() }));
  }

  lines(results: readonly ImportRowResult[]): string {
    let text = '';
    for (const result of results) {
      text += `${JSON.stringify(result)}\n`;
      if (result.status === 201) this.#created++;
      else if (result.status === 200) this.#existing++;
    }
    this.answered += results.length;
    return text;
  }

  summary(ignored: string[], stopped: { row: number; error: AppError } | null): string {
    const [rows, created, existing] = [this.answered, this.#created, this.#existing];
    const line: ImportSummary = {
      summary: {
        rows,
        created,
        existing,
        failed: rows - created - existing,
        complete: stopped === null,
        ignoredColumns: ignored,
      },
    };
    if (stopped) {
      const { status, message, code } = stopped.error;
      line.summary.stopped = { row: stopped.row, status, error: message, code };
    }
    return `${JSON.stringify(line)}\n`;
  }
}
