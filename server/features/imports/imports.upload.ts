/** Uploads and analyses a file; changes a draft, and repeats the analysis where needed. */
import type { ImportJob, ImportUpdate, ImportUploadQuery } from '../../../contract/crm/imports.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { AppError, badRequest, conflict } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { requireStorage } from '../../platform/limits/storage-quota.ts';
import { findTimeZone } from '../../platform/time-zone.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type Definitions, type KanbanDefinition, requireKanban } from '../kanbans/kanbans.ts';
import { guessColumns, guessDuplicates } from './imports.guess.ts';
import { type Inspection, inspectFile } from './imports.inspect.ts';
import {
  countImports,
  type ImportRow,
  insertImport,
  lockImports,
  showImport,
  toImport,
  updateDraft,
} from './imports.sql.ts';
import { expiryAfter, fileKeyOf, type ImportsDeps, opener, whyNot } from './imports.ts';

/** A killed upload leaves an invisible row; its file is removed with it. */
const receivingMs = 3_600_000;

export async function takeImportFile(
  deps: ImportsDeps,
  actor: Actor,
  query: ImportUploadQuery,
  chunks: AsyncIterable<Buffer>,
): Promise<ImportJob> {
  const { db, blobs, clock } = deps;
  const { accountId } = actor;
  const kanban = requireKanban(await deps.definitions.fresh(accountId), actor, query.kanbanId);
  const timeZone = checkTimeZone(query.timeZone ?? 'UTC');
  // Before the file is sent for nothing; the check at the insert decides.
  await checkCount(db, accountId);
  const draft = await blobs.drafts.receive(chunks, limits.importFileBytes, fileTooLarge);
  try {
    const inspection = await inspectFile(async () => draft.read(), draft.size);
    const id = newId(clock.now());
    const { sample, names, ...found } = inspection;
    const columns = guessColumns(kanban, inspection, timeZone);
    const now = clock.now();
    const one = {
      ...found,
      id,
      kanbanId: kanban.id,
      fileName: query.fileName?.trim() || 'import.csv',
      fileBytes: draft.size,
      columns,
      duplicates: guessDuplicates(kanban, columns),
      timeZone,
      createdBy: actor.id,
      createdByName: actor.name,
      createdAt: now,
    };
    await db.transaction(async (tx) => {
      await lockImports(tx, accountId);
      await checkCount(tx, accountId);
      await requireStorage(tx, accountId, draft.size);
      await insertImport(tx, accountId, { ...one, expiresAt: now + receivingMs });
    });
    await blobs.place(draft, fileKeyOf(accountId, id), 'text/csv');
    const shown = await db.transaction((tx) => showImport(tx, accountId, id, expiryAfter(now)));
    if (!shown) throw conflict('the import was removed in the meantime');
    return toImport(shown, now);
  } finally {
    await draft.discard();
  }
}

async function checkCount(db: Reader, accountId: string): Promise<void> {
  if ((await countImports(db, accountId)) < limits.importsKept) return;
  throw conflict(`an account keeps at most ${limits.importsKept} imports: delete one of them first`);
}

export const fileTooLarge = () =>
  new AppError(
    413,
    'PAYLOAD_TOO_LARGE',
    `the file is larger than ${limits.importFileBytes / 1024 / 1024} MiB; split it, or stream it to POST /crm/import`,
  );

function checkTimeZone(name: string): string {
  const zone = findTimeZone(name);
  if (!zone) throw badRequest('timeZone must be an IANA name such as America/Sao_Paulo');
  return zone.name;
}

/** The new state of the draft; nothing is written here, so that no transaction waits while a file is read. */
export async function changedDraft(
  { blobs }: Pick<ImportsDeps, 'blobs'>,
  actor: Actor,
  definitions: Definitions,
  found: ImportRow,
  change: ImportUpdate,
): Promise<ImportRow> {
  if (found.state !== 'draft') throw conflict(notADraft);
  const kanban = requireKanban(definitions, actor, change.kanbanId ?? found.kanbanId);
  const timeZone = change.timeZone === undefined ? found.timeZone : checkTimeZone(change.timeZone);
  let changed: ImportRow = { ...found, kanbanId: kanban.id, timeZone };
  if (change.format || kanban.id !== found.kanbanId) {
    const { byteOrderMark, ...format } = found.format;
    const given = { ...format, ...change.format };
    const open = opener(blobs, found.accountId, found.id);
    const inspection = await inspectFile(open, found.fileBytes, given);
    changed = { ...changed, ...guessAnew(kanban, inspection, timeZone) };
  }
  const columns = changeColumns(kanban, changed.columns, change.columns ?? []);
  const duplicates = { ...changed.duplicates, ...change.duplicates };
  if (duplicates.by === 'titleAndChannel') duplicates.fieldId = null;
  else checkDuplicateField(kanban, duplicates.fieldId);
  return { ...changed, columns, duplicates };
}

const notADraft = 'only an import that has not started can be changed';

export async function saveDraft(tx: Tx, draft: ImportRow): Promise<ImportRow> {
  const saved = await updateDraft(tx, draft.accountId, draft);
  if (!saved) throw await whyNot(tx, draft, ['draft'], notADraft);
  return saved;
}

function guessAnew(
  kanban: KanbanDefinition,
  inspection: Inspection,
  timeZone: string,
): Pick<ImportRow, 'format' | 'rows' | 'rowsAreCounted' | 'fileProblem' | 'columns' | 'duplicates'> {
  const { sample, names, ...found } = inspection;
  const columns = guessColumns(kanban, inspection, timeZone);
  return { ...found, columns, duplicates: guessDuplicates(kanban, columns) };
}

/** A target belongs to one column: assigning it removes it from the previous one. */
function changeColumns(
  kanban: KanbanDefinition,
  before: ImportRow['columns'],
  changes: NonNullable<ImportUpdate['columns']>,
): ImportRow['columns'] {
  const columns = before.map((column) => ({ ...column }));
  const given = new Map<string, number>();
  for (const [position, change] of changes.entries()) {
    const place = `columns[${position}]`;
    const column = columns[change.index];
    if (!column) throw badRequest(`${place}.index must be one of the ${columns.length} columns of the file`);
    column.dateForm = change.dateForm ?? column.dateForm;
    column.numberForm = change.numberForm ?? column.numberForm;
    const { target } = change;
    if (target === undefined) continue;
    if (target !== null) {
      checkTarget(kanban, target, `${place}.target`);
      if (column.isResult) throw badRequest(`${place}.index is a column of results, which are ignored`);
      if ((given.get(target) ?? change.index) !== change.index)
        throw badRequest(`${place}.target is used for two columns`);
      given.set(target, change.index);
      for (const other of columns) {
        if (other.target === target) Object.assign(other, { target: null, guessedBy: null });
      }
    }
    column.target = target;
    column.guessedBy = 'chosen';
  }
  return columns;
}

function checkTarget(kanban: KanbanDefinition, target: string, place: string): void {
  const isOwn = ['title', 'status', 'channelId', 'assignedUserIds'].includes(target);
  if (!isOwn && !kanban.fields.has(target)) {
    throw badRequest(`${place} must be title, status, channelId, assignedUserIds or a field of the kanban`);
  }
}

function checkDuplicateField(kanban: KanbanDefinition, fieldId: string | null): void {
  const field = fieldId === null ? undefined : kanban.fields.get(fieldId);
  if (!field || field.type === 'multiselect') {
    throw badRequest('duplicates.fieldId must be a field of the kanban that has one value');
  }
}
