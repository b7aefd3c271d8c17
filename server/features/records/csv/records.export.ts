/** Records as a CSV file, read page by page: no cursor stays open while a slow client takes its time. */

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
  /** All that a text is found in, on one kanban. */
  search: { findIds(actor: Actor, q: string, kanbanId: string): Promise<string[]> };
}

/** Null: unknown, or closed to the caller, which are the same: there is nothing to export. */
export async function findExportedKanban(
  { definitions }: Pick<ExportDeps, 'definitions'>,
  actor: Actor,
  kanbanId: string | undefined,
): Promise<KanbanDefinition | null> {
  const current = await definitions.fresh(actor.accountId);
  const kanban = kanbanId === undefined ? current.defaultKanban : current.kanbans.get(kanbanId);
  return kanban && maySee(actor, kanban) ? kanban : null;
}

/** Those of a list on the board, asked before the answer begins. Null: nothing can pass. */
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
    // A file that lacks records without saying so would be taken for all of them.
    throw badRequest(`q finds ${limits.foundByText} records or more; narrow the search or export without q`);
  }
  const field =
    fieldId !== undefined && fieldValue !== undefined ? { id: fieldId, value: fieldValue } : undefined;
  return { kanbanId: kanban.id, status, assignedUserId, field, ids, visibleKanbanIds: null };
}

const firstPage = 50;
const largestPage = 1_000;
const charactersPerPage = 1_000_000;
/** Spreadsheets take a file without it for one in their own old encoding. */
const byteOrderMark = '\ufeff';

/**
 * Newest first, as records are listed: what is created meanwhile stays out. Pages are sized by what the last one
 * weighed, so that records with large texts do not fill the memory.
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
