/** Exports records as CSV, page by page: no cursor stays open for a slow client. */

import { limits } from '../../../../contract/limits.ts';
import type { ExportQuery } from '../../../../contract/shapes/csv.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { type DefinitionsCache, type KanbanDefinition, maySee } from '../../kanbans/kanbans.ts';
import { type RecordFilter, selectRecords } from '../records.sql.ts';
import { headerLine, recordLine } from './records.csv.ts';

export interface ExportDeps {
  db: Reader;
  definitions: DefinitionsCache;
  /** Everything that a text finds, on one kanban. */
  search: { findIds(actor: Actor, q: string, kanbanId: string): Promise<string[]> };
}

/** Null: unknown, or closed to the caller: there is nothing to export. */
export async function findExportedKanban(
  { definitions }: Pick<ExportDeps, 'definitions'>,
  actor: Actor,
  kanbanId: string | undefined,
): Promise<KanbanDefinition | null> {
  const current = await definitions.fresh(actor.accountId);
  const kanban = kanbanId === undefined ? current.defaultKanban : current.kanbans.get(kanbanId);
  return kanban && maySee(actor, kanban) ? kanban : null;
}

/** The filters of a list on the board, checked before the response starts. Null: nothing can match. */
export async function findExportFilter(
  { search }: ExportDeps,
  actor: Actor,
  kanban: KanbanDefinition | null,
  { status, assignedUserId, fieldId, fieldValue, q }: ExportQuery,
): Promise<RecordFilter | null> {
  if ((fieldId === undefined) !== (fieldValue === undefined)) {
    const [missing, given] = fieldId === undefined ? ['fieldId', 'fieldValue'] : ['fieldValue', 'fieldId'];
    throw badRequest(`${missing} is required with ${given}`);
  }
  if (!kanban || (assignedUserId !== undefined && !isId(assignedUserId))) return null;
  const ids = q === undefined || q.trim() === '' ? undefined : await search.findIds(actor, q, kanban.id);
  if (ids && ids.length >= limits.foundByText) {
    // A file that silently lacks records would be mistaken for a complete one.
    throw badRequest(`q finds ${limits.foundByText} records or more; narrow the search or export without q`);
  }
  const field =
    fieldId !== undefined && fieldValue !== undefined ? { id: fieldId, value: fieldValue } : undefined;
  return { kanbanId: kanban.id, status, assignedUserId, field, ids, visibleKanbanIds: null };
}

const firstPage = 50;
const largestPage = 1_000;
const charactersPerPage = 1_000_000;
/** Without a byte order mark spreadsheets assume their own legacy encoding. */
const byteOrderMark = '\ufeff';

/**
 * Newest first, as records are listed: records created meanwhile are left out. The page size depends on the size of
 * the last page, so that large texts do not fill the memory.
 */
export async function* exportRecords(
  { db }: Pick<ExportDeps, 'db'>,
  actor: () => Promise<Actor>,
  kanban: KanbanDefinition | null,
  filter: RecordFilter | null,
): AsyncGenerator<string> {
  yield byteOrderMark + headerLine(kanban);
  if (!kanban || !filter) return;
  let after: { createdAt: number; id: string } | null = null;
  for (let size = firstPage; ; ) {
    const { accountId } = await actor();
    const records = await selectRecords(db, accountId, filter, after, size);
    const text = records.map((record) => recordLine(kanban, record)).join('');
    if (text) yield text;
    const last = records.at(-1);
    if (!last || records.length < size) return;
    after = { createdAt: last.createdAt, id: last.recordId };
    const fitting = Math.floor((charactersPerPage * records.length) / text.length);
    size = Math.max(1, Math.min(largestPage, fitting));
  }
}
