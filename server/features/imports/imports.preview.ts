/** The first rows as they would be written, with what is wrong in which cell; nothing is written. */
import type { ImportPreview, ImportPreviewRow } from '../../../contract/imports.ts';
import { limits } from '../../../contract/limits.ts';
import type { Record } from '../../../contract/records.ts';
import type { Reader } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { type Actor, findUserIds } from '../accounts/accounts.ts';
import type { KanbanDefinition } from '../kanbans/kanbans.ts';
import { findExisting, newRecord } from '../records/records.ts';
import { chunksOf, type NumberedRow, readDataRows } from './imports.format.ts';
import type { OpenFile } from './imports.inspect.ts';
import { type ReadRow, readRow, reasonOf, ruleOf } from './imports.rows.ts';
import type { ImportRow } from './imports.sql.ts';

const defaultRows = 20;
const textShown = 200;
const problemsShown = 20;

interface CheckedRow extends ReadRow {
  row: number;
}

export async function previewImport(
  db: Reader,
  actor: Actor,
  now: number,
  kanban: KanbanDefinition,
  found: ImportRow,
  open: OpenFile,
  rows = defaultRows,
): Promise<ImportPreview> {
  const shown: CheckedRow[] = [];
  const problems = new Problems();
  const users = new Users(db, actor.accountId);
  let [checked, isWholeFile] = [0, true];
  for await (const part of readDataRows(chunksOf(await open()), found.format)) {
    const left = part.rows.slice(0, limits.importCheckedRows - checked);
    for (const row of await checkRows(kanban, found, users, left)) {
      if (shown.length < rows) shown.push(row);
      problems.add(row);
    }
    checked += left.length;
    if (checked >= limits.importCheckedRows) {
      isWholeFile = found.rowsAreCounted && found.rows <= checked;
      break;
    }
  }
  return {
    rows: await withOutcomes(db, actor, now, kanban, found, shown),
    check: { rows: checked, wrong: problems.wrong, isWholeFile, problems: problems.list() },
  };
}

async function checkRows(
  kanban: KanbanDefinition,
  found: ImportRow,
  users: Users,
  rows: readonly NumberedRow[],
): Promise<CheckedRow[]> {
  const { columns, timeZone, duplicates } = found;
  const read = rows.map(({ row, cells }) => ({ row, ...readRow(kanban, columns, timeZone, cells) }));
  await users.look(read.flatMap(({ input }) => input.assignedUserIds ?? []));
  const assigned = columns.findIndex((column) => column.target === 'assignedUserIds');
  for (const row of read) {
    const unknown = row.input.assignedUserIds?.find((name) => !users.has(name));
    if (unknown !== undefined) {
      const text = unknown.slice(0, 100).toWellFormed();
      const problem = {
        error: `has an unknown user: ${text}`,
        reason: { kind: 'unknownUser', text } as const,
      };
      Object.assign(row.cells[assigned]!, problem);
    }
    if (row.input.title === '' && duplicates.action !== 'update' && !titleHasError(found, row)) {
      if (row.error === null) Object.assign(row, titleRequired);
    }
  }
  return read;
}

const titleRequired = { error: 'title is required', reason: { kind: 'titleRequired' } } as const;
const titleHasError = ({ columns }: ImportRow, { cells }: ReadRow) =>
  columns.some((column, index) => column.target === 'title' && cells[index]?.error);
const isWrong = ({ error, cells }: ReadRow) => error !== null || cells.some((cell) => cell.error);

async function withOutcomes(
  db: Reader,
  actor: Actor,
  now: number,
  kanban: KanbanDefinition,
  found: ImportRow,
  rows: CheckedRow[],
): Promise<ImportPreviewRow[]> {
  const { action } = found.duplicates;
  const ids = new Map<CheckedRow, string>();
  const records = new Map<string, Record>();
  const untitled = new Set<string>();
  for (const row of rows.filter((one) => !isWrong(one))) {
    const recordId = newId(now);
    ids.set(row, recordId);
    if (row.input.title === '') untitled.add(recordId);
    const input = { ...row.input, title: row.input.title || '-' };
    records.set(recordId, { ...newRecord(actor, now, kanban, input), recordId });
  }
  const rule = ruleOf(found.duplicates);
  const existing =
    action === 'create'
      ? new Map<string, string>()
      : await findExisting(db, actor.accountId, kanban.id, records, rule, untitled);
  return rows.map((row): ImportPreviewRow => {
    const id = ids.get(row);
    const there = id === undefined ? undefined : existing.get(id);
    const lacksTitle = id !== undefined && untitled.has(id) && there === undefined;
    const outcome =
      id === undefined || lacksTitle
        ? 'fail'
        : there === undefined
          ? 'create'
          : (action as 'skip' | 'update');
    return {
      row: row.row,
      outcome,
      // Of a row above in this preview there is no record yet.
      recordId: there !== undefined && !records.has(there) ? there : null,
      ...(lacksTitle ? titleRequired : { error: row.error, ...reasonOf(row) }),
      cells: row.cells.map(({ text, value, error, reason }, column) => ({
        column,
        text: text.slice(0, textShown).toWellFormed(),
        value: value ?? null,
        error,
        ...reasonOf({ reason }),
      })),
    };
  });
}

/** Asked once for each name. */
class Users {
  readonly #db: Reader;
  readonly #accountId: string;
  readonly #known = new Map<string, boolean>();

  constructor(db: Reader, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  async look(names: readonly string[]): Promise<void> {
    const asked = [...new Set(names)].filter((name) => !this.#known.has(name));
    if (asked.length === 0) return;
    const ids = await findUserIds(this.#db, this.#accountId, asked);
    for (const name of asked) this.#known.set(name, ids.has(name));
  }

  has = (name: string): boolean => this.#known.get(name) ?? false;
}

class Problems {
  wrong = 0;
  readonly #found = new Map<string, ImportPreview['check']['problems'][number]>();

  add(row: CheckedRow): void {
    if (!isWrong(row)) return;
    this.wrong++;
    this.#count(null, row, row.row);
    for (const [column, cell] of row.cells.entries()) this.#count(column, cell, row.row);
  }

  #count(column: number | null, { error, reason }: Pick<ReadRow, 'error' | 'reason'>, row: number): void {
    if (error === null) return;
    const key = `${column} ${error}`;
    const known = this.#found.get(key);
    if (known) known.count++;
    // Every row may be wrong in its own words; there is no use in keeping thousands of them.
    else if (this.#found.size < 1_000) {
      this.#found.set(key, { column, message: error, ...reasonOf({ reason }), count: 1, firstRow: row });
    }
  }

  list(): ImportPreview['check']['problems'] {
    return [...this.#found.values()].sort((a, b) => b.count - a.count).slice(0, problemsShown);
  }
}
