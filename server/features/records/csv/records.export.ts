/** Exports records as CSV, page by page: no cursor stays open for a slow client. */

import type { CrmRecord } from '../../../../contract/crm/records.ts';
import { limits } from '../../../../contract/limits.ts';
import type { ExportQuery } from '../../../../contract/shapes/csv.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { type Actor, selectUsersByIds } from '../../accounts/accounts.ts';
import { type DefinitionsCache, type KanbanDefinition, maySee } from '../../kanbans/kanbans.ts';
import { listLabels } from '../../labels/labels.ts';
import { selectRecordsByKeys } from '../lookup/records.lookup.sql.ts';
import { isConditional, type RecordFinder } from '../records.find.ts';
import { type RecordFilter, selectRecords } from '../records.sql.ts';
import { asStored, type CellNames, headerLine, recordLine } from './records.csv.ts';

export interface ExportDeps {
  db: Reader;
  definitions: DefinitionsCache;
  /** Everything that a text finds, on one kanban. */
  search: RecordFinder & { findIds(actor: Actor, q: string, kanbanId: string): Promise<string[]> };
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

/** The conditions of a list, or everything that was found, in order. */
export type ExportFilter = RecordFilter | { orderedIds: string[] };

/** The filters of a list on the board, checked before the response starts. Null: nothing can match. */
export async function findExportFilter(
  { search }: ExportDeps,
  actor: Actor,
  kanban: KanbanDefinition | null,
  query: ExportQuery,
): Promise<ExportFilter | null> {
  const { status, assignedUserId, fieldId, fieldValue, q } = query;
  if ((fieldId === undefined) !== (fieldValue === undefined)) {
    const [missing, given] = fieldId === undefined ? ['fieldId', 'fieldValue'] : ['fieldValue', 'fieldId'];
    throw badRequest(`${missing} is required with ${given}`);
  }
  if (!kanban || (assignedUserId !== undefined && !isId(assignedUserId))) return null;
  const field =
    fieldId !== undefined && fieldValue !== undefined ? { id: fieldId, value: fieldValue } : undefined;
  if (isConditional(query)) {
    const { filter, sort } = query;
    const conditions = { kanbanId: kanban.id, status, assignedUserId, lookup: field, q, filter, sort };
    return { orderedIds: await search.findAll(actor, conditions) };
  }
  const ids = q === undefined || q.trim() === '' ? undefined : await search.findIds(actor, q, kanban.id);
  if (ids && ids.length >= limits.foundByText) {
    // A file that silently lacks records would be mistaken for a complete one.
    throw badRequest(`q finds ${limits.foundByText} records or more; narrow the search or export without q`);
  }
  return { kanbanId: kanban.id, status, assignedUserId, field, ids, visibleKanbanIds: null };
}

const firstPage = 50;
const largestPage = 1_000;
const charactersPerPage = 1_000_000;
/** Without a byte order mark spreadsheets assume their own legacy encoding. */
const byteOrderMark = '\ufeff';

/**
 * Newest first, as records are listed, unless another order was asked for: records created meanwhile are left out. The
 * page size depends on the size of the last page, so that large texts do not fill the memory.
 */
export async function* exportRecords(
  { db }: Pick<ExportDeps, 'db'>,
  actor: () => Promise<Actor>,
  kanban: KanbanDefinition | null,
  filter: ExportFilter | null,
  areNamesShown = false,
): AsyncGenerator<string> {
  yield byteOrderMark + headerLine(kanban);
  if (!kanban || !filter) return;
  const readPage = 'orderedIds' in filter ? pagesOfIds(db, filter.orderedIds) : pagesOfList(db, filter);
  for (let size = firstPage; ; ) {
    const { accountId } = await actor();
    const { records, isLast } = await readPage(accountId, size);
    const names = {
      ...(areNamesShown ? await namesIn(db, accountId, kanban, records) : asStored),
      label: await labelNamesIn(db, accountId, records),
    };
    const text = records.map((record) => recordLine(kanban, record, names)).join('');
    if (text) yield text;
    if (isLast) return;
    const fitting = text ? Math.floor((charactersPerPage * records.length) / text.length) : largestPage;
    size = Math.max(1, Math.min(largestPage, fitting));
  }
}

/** A status or user that is gone meanwhile keeps its value or id. */
async function namesIn(
  db: Reader,
  accountId: string,
  kanban: KanbanDefinition,
  records: readonly CrmRecord[],
): Promise<Omit<CellNames, 'label'>> {
  const ids = [...new Set(records.flatMap((record) => record.assignedUserIds))];
  const users = new Map((await selectUsersByIds(db, accountId, ids)).map(({ id, name }) => [id, name]));
  const labels = new Map(kanban.statuses.map(({ value, label }) => [value, label]));
  return { status: (value) => labels.get(value) ?? value, user: (id) => users.get(id) ?? id };
}

/** Most pages have none, and cost no query. */
async function labelNamesIn(
  db: Reader,
  accountId: string,
  records: readonly CrmRecord[],
): Promise<CellNames['label']> {
  if (records.every(({ labelIds }) => labelIds.length === 0)) return () => null;
  const names = new Map((await listLabels(db, accountId)).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? null;
}

type ReadPage = (accountId: string, size: number) => Promise<{ records: CrmRecord[]; isLast: boolean }>;

function pagesOfList(db: Reader, filter: RecordFilter): ReadPage {
  let after: { createdAt: number; id: string } | null = null;
  return async (accountId, size) => {
    const records = await selectRecords(db, accountId, filter, after, size);
    const last = records.at(-1);
    if (last) after = { createdAt: last.createdAt, id: last.recordId };
    return { records, isLast: records.length < size };
  };
}

/** Records that were deleted meanwhile are left out. */
function pagesOfIds(db: Reader, ids: readonly string[]): ReadPage {
  let from = 0;
  return async (accountId, size) => {
    const page = ids.slice(from, from + size);
    from += size;
    const found = await selectRecordsByKeys(
      db,
      page.map((id) => ({ accountId, id })),
    );
    const byId = new Map(found.map((record) => [record.recordId, record]));
    return { records: page.flatMap((id) => byId.get(id) ?? []), isLast: from >= ids.length };
  };
}
