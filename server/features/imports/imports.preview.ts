/** Previews the first rows, with the errors of each cell; nothing is written. */
import type { ImportOutcome, ImportPreview, ImportPreviewRow } from '../../../contract/crm/imports.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { type Actor, findUserIds } from '../accounts/accounts.ts';
import type { KanbanDefinition } from '../kanbans/kanbans.ts';
import { type FieldValues, newRecord, sameSet, sameValue, selectRecordsByKeys } from '../records/records.ts';
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
  /** Records that rows would update, as the rows so far would leave them. */
  readonly #updated = new Map<string, CrmRecord>();

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

  async #readRecords(ids: readonly string[]): Promise<void> {
    const { accountId } = this.#actor;
    const missing = [...new Set(ids)].filter((id) => !this.#updated.has(id));
    const keys = missing.map((id) => ({ accountId, id }));
    for (const record of await selectRecordsByKeys(this.#db, keys))
      this.#updated.set(record.recordId, record);
  }

  /** Whether the row would change the record, as the import does it. */
  #changes(id: string, { input }: CheckedRow, wanted: CrmRecord): boolean {
    const record = this.#updated.get(id);
    if (!record) return true;
    const title = input.title === '' ? record.title : wanted.title;
    const status = input.status === undefined ? record.status : wanted.status;
    const { fields } = this.#kanban;
    const stored = record.customFields as FieldValues;
    const changed = Object.entries(wanted.customFields as FieldValues).filter(
      ([field, value]) => !sameValue(fields.get(field)!.type, stored[field] ?? null, value),
    );
    const assigned = input.assignedUserIds?.flatMap((name) => this.#users.idOf(name) ?? []);
    const assignedUserIds = assigned ? [...new Set(assigned)] : record.assignedUserIds;
    const isSame = title === record.title && status === record.status && changed.length === 0;
    if (isSame && sameSet(assignedUserIds, record.assignedUserIds)) return false;
    const customFields = { ...stored, ...Object.fromEntries(changed) };
    this.#updated.set(id, { ...record, title, status, assignedUserIds, customFields });
    return true;
  }

  async #checkUsers(rows: readonly CheckedRow[]): Promise<void> {
    await this.#users.look(rows.flatMap(({ input }) => input.assignedUserIds ?? []));
    const assigned = this.#import.columns.findIndex((column) => column.target === 'assignedUserIds');
    for (const row of rows) {
      const unknown = row.input.assignedUserIds?.find((name) => this.#users.idOf(name) === null);
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
    if (duplicates.action === 'update') await this.#readRecords([...existing.values()]);
    for (const [index, row] of rows.entries()) {
      const there = existing.get(ids[index]!);
      if (there !== undefined) {
        row.outcome = duplicates.action as 'skip' | 'update';
        row.recordId = planned.has(there) ? null : there;
        if (row.outcome === 'update' && !this.#changes(there, row, records.get(ids[index]!)!))
          row.outcome = 'skip';
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
  readonly #known = new Map<string, string | null>();

  constructor(db: Reader, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  async look(names: readonly string[]): Promise<void> {
    const asked = [...new Set(names)].filter((name) => !this.#known.has(name));
    if (asked.length === 0) return;
    const ids = await findUserIds(this.#db, this.#accountId, asked);
    for (const name of asked) this.#known.set(name, ids.get(name) ?? null);
  }

  idOf = (name: string): string | null => this.#known.get(name) ?? null;
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
