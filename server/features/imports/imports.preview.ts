/** Previews the first rows, with the errors of each cell; nothing is written. */
import type { ImportOutcome, ImportPreview, ImportPreviewRow } from '../../../contract/crm/imports.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { type Actor, findUserIds } from '../accounts/accounts.ts';
import type { KanbanDefinition } from '../kanbans/kanbans.ts';
import { newRecord } from '../records/records.ts';
import { chunksOf, type NumberedRow, readDataRows } from './imports.format.ts';
import type { OpenFile } from './imports.inspect.ts';
import { createRowReader, ruleOf } from './imports.mapped-rows.ts';
import type { ImportRow } from './imports.sql.ts';
import { type ReadRow, reasonOf } from './rows/imports.rows.ts';
import { findExisting } from './rows/imports.write.ts';

const defaultRows = 20;
const textShown = 200;
const problemsShown = 20;

interface CheckedRow extends ReadRow {
  row: number;
  outcome: ImportOutcome;
  /** The record that would be updated, or that makes the row a duplicate. */
  recordId: string | null;
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
  const outcomes = { create: 0, update: 0, skip: 0, fail: 0 };
  const checker = new RowChecker(db, actor, now, kanban, found);
  let [checked, isWholeFile] = [0, true];
  for await (const part of readDataRows(chunksOf(await open()), found.format)) {
    const left = part.slice(0, limits.importCheckedRows - checked);
    for (const row of await checker.check(left)) {
      if (shown.length < rows) shown.push(row);
      outcomes[row.outcome]++;
      problems.add(row);
    }
    checked += left.length;
    if (checked >= limits.importCheckedRows) {
      isWholeFile = found.rowsAreCounted && found.rows <= checked;
      break;
    }
  }
  return {
    rows: shown.map(toPreviewRow),
    check: { rows: checked, wrong: outcomes.fail, outcomes, isWholeFile, problems: problems.list() },
  };
}

/** Says for each row what an import would do with it, one part of the file at a time. */
class RowChecker {
  readonly #db: Reader;
  readonly #actor: Actor;
  readonly #now: number;
  readonly #kanban: KanbanDefinition;
  readonly #import: ImportRow;
  readonly #users: Users;
  /** Records that earlier rows would create, by what makes a later row their duplicate. */
  readonly #planned = new Map<string, string>();

  constructor(db: Reader, actor: Actor, now: number, kanban: KanbanDefinition, found: ImportRow) {
    this.#db = db;
    this.#actor = actor;
    this.#now = now;
    this.#kanban = kanban;
    this.#import = found;
    this.#users = new Users(db, actor.accountId);
  }

  async check(rows: readonly NumberedRow[]): Promise<CheckedRow[]> {
    const { columns, timeZone, duplicates } = this.#import;
    const readRow = createRowReader(this.#kanban, columns, timeZone);
    const read = rows.map(
      (one): CheckedRow => ({
        ...readRow(one),
        row: one.row,
        outcome: 'create',
        recordId: null,
      }),
    );
    await this.#checkUsers(read);
    for (const row of read) {
      if (row.input.title === '' && duplicates.action !== 'update' && !titleHasError(this.#import, row)) {
        if (row.error === null) Object.assign(row, titleRequired);
      }
      if (isWrong(row)) row.outcome = 'fail';
    }
    await this.#findDuplicates(read.filter((row) => row.outcome !== 'fail'));
    return read;
  }

  async #checkUsers(rows: readonly CheckedRow[]): Promise<void> {
    await this.#users.look(rows.flatMap(({ input }) => input.assignedUserIds ?? []));
    const assigned = this.#import.columns.findIndex((column) => column.target === 'assignedUserIds');
    for (const row of rows) {
      const unknown = row.input.assignedUserIds?.find((name) => !this.#users.has(name));
      if (unknown === undefined) continue;
      const text = unknown.slice(0, 100).toWellFormed();
      Object.assign(row.cells[assigned]!, {
        error: `has an unknown user: ${text}`,
        reason: { kind: 'unknownUser', text } as const,
      });
    }
  }

  async #findDuplicates(rows: readonly CheckedRow[]): Promise<void> {
    const { duplicates } = this.#import;
    const records = new Map<string, CrmRecord>();
    const untitled = new Set<string>();
    const ids = rows.map((row) => {
      const recordId = newId(this.#now);
      if (row.input.title === '') untitled.add(recordId);
      const input = { ...row.input, title: row.input.title || '-' };
      records.set(recordId, { ...newRecord(this.#actor, this.#now, this.#kanban, input), recordId });
      return recordId;
    });
    const existing =
      duplicates.action === 'create'
        ? new Map<string, string>()
        : await findExisting(this.#db, this.#actor.accountId, this.#kanban.id, records, {
            rule: ruleOf(duplicates),
            neverNew: untitled,
            planned: this.#planned,
          });
    const planned = new Set(this.#planned.values());
    for (const [index, row] of rows.entries()) {
      const there = existing.get(ids[index]!);
      if (there !== undefined) {
        row.outcome = duplicates.action as 'skip' | 'update';
        row.recordId = planned.has(there) ? null : there;
      } else if (untitled.has(ids[index]!)) {
        Object.assign(row, { outcome: 'fail', ...titleRequired });
      }
    }
  }
}

const titleRequired = { error: 'title is required', reason: { kind: 'titleRequired' } } as const;
const titleHasError = ({ columns }: ImportRow, { cells }: ReadRow) =>
  columns.some((column, index) => column.target === 'title' && cells[index]?.error);
const isWrong = ({ error, cells }: ReadRow) => error !== null || cells.some((cell) => cell.error);

const toPreviewRow = (row: CheckedRow): ImportPreviewRow => ({
  row: row.row,
  outcome: row.outcome,
  recordId: row.recordId,
  error: row.error,
  ...reasonOf(row),
  cells: row.cells.map(({ text, value, error, reason }, column) => ({
    column,
    text: text.slice(0, textShown).toWellFormed(),
    value: value ?? null,
    error,
    ...reasonOf({ reason }),
  })),
});

/** Resolved once per name. */
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
  readonly #found = new Map<string, ImportPreview['check']['problems'][number]>();

  add(row: CheckedRow): void {
    if (row.outcome !== 'fail') return;
    this.#count(null, row, row.row);
    for (const [column, cell] of row.cells.entries()) this.#count(column, cell, row.row);
  }

  #count(column: number | null, { error, reason }: Pick<ReadRow, 'error' | 'reason'>, row: number): void {
    if (error === null) return;
    const key = `${column} ${error}`;
    const known = this.#found.get(key);
    if (known) known.count++;
    // Every row may have a different error; there is no use in keeping thousands of them.
    else if (this.#found.size < 1_000) {
      this.#found.set(key, { column, message: error, ...reasonOf({ reason }), count: 1, firstRow: row });
    }
  }

  list(): ImportPreview['check']['problems'] {
    return [...this.#found.values()].sort((a, b) => b.count - a.count).slice(0, problemsShown);
  }
}
