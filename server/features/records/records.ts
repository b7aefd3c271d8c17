/** The rules of CRM records. Each write emits its events in its own statement or transaction. */

import type { CreatedRecord, CrmRecord, RecordCreate, RecordUpdate } from '../../../contract/crm/records.ts';
import type { WebhookEvent } from '../../../contract/events.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { freeze } from '../../platform/events/outbox.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, checkUserIds } from '../accounts/accounts.ts';
import {
  type Definitions,
  type KanbanDefinition,
  maySee,
  requireKanban,
  systemField,
} from '../kanbans/kanbans.ts';
import { mergeLabels } from '../labels/labels.ts';
import { auditDeletion } from './records.audit.ts';
import { insertRecords } from './records.create.sql.ts';
import { lockRecordsById } from './records.deleted-field.sql.ts';
import { recordCreated, recordDeleted, recordUpdates, statusChangeOf } from './records.events.ts';
import { recordJson } from './records.json.ts';
import {
  deleteRecord,
  findDuplicate,
  findRecord,
  findRecordJson,
  insertRecordEvent,
  type LockedRecord,
  lockDuplicates,
  lockRecord,
  updateRecord,
} from './records.sql.ts';
import { checkFieldValues, type FieldValues, fitsField, sameSet, sameValue } from './records.values.ts';

export { type CsvColumn, readHeader, readList } from './csv/records.csv.ts';
export { labelledRecords } from './labels/records.labels.ts';
export {
  countRecords,
  type LookedUp,
  pruneDeletions,
  selectByLookupKey,
  selectIdsByLookupKey,
  selectLookupKeys,
  selectRecordsByIds,
  selectRecordsByKeys,
  selectTexts,
  updateLookupKeys,
} from './lookup/records.lookup.sql.ts';
export { identifierField, lookupKey, lookupKeys } from './lookup/records.lookup.ts';
export { startLookupIndexing } from './lookup/records.lookup-index.ts';
export { auditImport } from './records.audit.ts';
export { insertRecords } from './records.create.sql.ts';
export { deletedFieldHandler, deletedFieldJobKind } from './records.deleted-field.ts';
export { recordCreated } from './records.events.ts';
export {
  type FoundPage,
  isConditional,
  type PageCursor,
  type RecordConditions,
  type RecordFinder,
} from './records.find.ts';
export { type RecordJsonRow, recordJson } from './records.json.ts';
export { recordsOfKanban } from './records.kanban.ts';
export {
  duplicateKeyText,
  findManyByLookup,
  findManyDuplicates,
  lockLookups,
  selectExistingRecordIds,
} from './records.many.sql.ts';
export {
  eraseRecords,
  type LockedRecord,
  lockDuplicates,
  lockRecords,
  type RecordRow,
  recordInsert,
  toRecord,
} from './records.sql.ts';
export {
  checkFieldValues,
  type FieldValue,
  type FieldValues,
  fitsField,
  isDate,
  readTime,
  sameSet,
  sameValue,
} from './records.values.ts';

/** The transaction holds the definitions. */
export async function createRecord(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  input: RecordCreate & { kanbanId?: string },
): Promise<CreatedRecord> {
  const { accountId } = actor;
  const kanban = requireKanban(definitions, actor, input.kanbanId);
  const record = newRecord(actor, now, kanban, input);
  const { assignedUserIds, channelId, title } = record;
  if (assignedUserIds.length > 0) await checkUserIds(tx, accountId, assignedUserIds, 'assignedUserIds');
  if (record.labelIds.length > 0) await mergeLabels(tx, accountId, [], record);
  if (channelId !== null) {
    const key = { kanbanId: kanban.id, channelId, title };
    const [, existing] = await Promise.all([
      lockDuplicates(tx, accountId, [key]),
      findDuplicate(tx, accountId, key),
    ]);
    if (existing) return { ...existing, alreadyExists: true };
  }
  await insertRecords(tx, accountId, [{ record, event: recordCreated(record, now) }]);
  return record;
}

/**
 * The part of a create that needs no database; assigned users are not checked yet. Single creates and imports share
 * it.
 */
export function newRecord(
  actor: Actor,
  now: number,
  kanban: KanbanDefinition,
  input: RecordCreate,
): CrmRecord {
  const customFields: FieldValues = {};
  for (const [id, value] of checkFieldValues(kanban, input.customFields ?? {})) {
    if (value !== null) customFields[id] = value;
  }
  return newRecordFor(actor, now, kanban, {
    title: checkTitle(input.title),
    status: input.status === undefined ? undefined : checkStatus(kanban, input.status),
    customFields,
    assignedUserIds: [...new Set(input.assignedUserIds)],
    labelIds: [...new Set(input.labelIds)].sort(),
    channelId: input.channelId,
    clientId: input.clientId,
  });
}

/** A record whose parts have been checked; also for the card of a conversation. */
export function newRecordFor(
  actor: Actor,
  now: number,
  kanban: KanbanDefinition,
  parts: Pick<CrmRecord, 'title' | 'customFields'> &
    Partial<
      Pick<
        CrmRecord,
        'status' | 'assignedUserIds' | 'labelIds' | 'channelId' | 'clientId' | 'unverifiedFieldIds'
      >
    >,
): CrmRecord {
  return {
    recordId: newId(now),
    accountId: actor.accountId,
    kanbanId: kanban.id,
    title: parts.title,
    status: parts.status ?? kanban.statuses[0]!.value,
    customFields: parts.customFields,
    assignedUserIds: parts.assignedUserIds ?? [],
    labelIds: parts.labelIds ?? [],
    channelId: parts.channelId ?? null,
    createdBy: actor.id,
    updatedBy: actor.id,
    createdAt: now,
    updatedAt: now,
    clientId: parts.clientId ?? null,
    ...unverified(parts.unverifiedFieldIds ?? []),
  };
}

/** Left out if there are none. */
const unverified = (ids: string[]) => (ids.length > 0 ? { unverifiedFieldIds: ids } : {});

export async function changeRecord(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  id: string,
  change: RecordUpdate,
  /** What the customer says: a phone number or an e-mail address in it is not verified. */
  { isTold = false } = {},
): Promise<CrmRecord> {
  const { accountId } = actor;
  const { kanban, ...locked } = await requireLockedRecord(tx, actor, definitions, id);
  const { unverifiedFieldIds = [], ...before } = locked.record;
  const customFields = mergeValues(kanban, before.customFields as FieldValues, change.customFields ?? {});
  const after: CrmRecord = {
    ...before,
    title: change.title === undefined ? before.title : checkTitle(change.title),
    status: change.status === undefined ? before.status : checkStatus(kanban, change.status, before.status),
    customFields,
    assignedUserIds: await mergeAssigned(tx, accountId, before.assignedUserIds, change.assignedUserIds),
    labelIds: await mergeLabels(tx, accountId, before.labelIds, change),
    updatedBy: actor.id,
    updatedAt: Math.max(now, before.updatedAt),
    ...unverified(
      isTold
        ? unverifiedAfter(kanban, locked.record, customFields)
        : unverifiedFieldIds.filter((one) => customFields[one] === before.customFields[one]),
    ),
  };
  const events = recordUpdates(kanban, before, after, locked.eventSequence);
  if (events.length === 0) return locked.record;
  await updateRecord(tx, accountId, after, events, statusChangeOf(before, after, events));
  return after;
}

/** Where the customer sets new addresses, or changes what is not verified. */
function unverifiedAfter(
  kanban: KanbanDefinition,
  { customFields: before, unverifiedFieldIds = [] }: CrmRecord,
  after: FieldValues,
): string[] {
  const isAddress = (id: string) => ['phone', 'email'].includes(kanban.fields.get(id)?.type ?? '');
  const told = Object.keys(after).filter((id) => isAddress(id) && after[id] !== before[id]);
  return [...new Set([...unverifiedFieldIds.filter((id) => after[id] !== undefined), ...told])];
}

/**
 * Sets the address that a visitor typed where the record has none, or another one that was typed. A record that is gone
 * stays so.
 */
export async function claimEmail(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  id: string,
  address: string,
): Promise<void> {
  const locked = await lockRecord(tx, actor.accountId, id);
  const kanban = locked && definitions.kanbans.get(locked.record.kanbanId);
  const field = kanban && systemField(kanban, 'email');
  if (!locked || !field || !fitsField(field, address)) return;
  const { record: before, eventSequence } = locked;
  const typed = before.unverifiedFieldIds ?? [];
  if (before.customFields[field.id] !== undefined && !typed.includes(field.id)) return;
  const after: CrmRecord = {
    ...before,
    customFields: { ...before.customFields, [field.id]: address },
    updatedBy: actor.id,
    updatedAt: Math.max(now, before.updatedAt),
    unverifiedFieldIds: [...new Set([...typed, field.id])],
  };
  const events = recordUpdates(kanban, before, after, eventSequence);
  if (events.length > 0) await updateRecord(tx, actor.accountId, after, events, null);
}

/** Without events, which would say what was cleared. `cleared` returns what changes, or null. Returns how many changed. */
export async function clearRecords(
  tx: Tx,
  actor: Actor,
  now: number,
  ids: string[],
  cleared: (record: CrmRecord) => Pick<CrmRecord, 'title' | 'customFields'> | null,
): Promise<number> {
  let count = 0;
  for (const { record } of await lockRecordsById(tx, actor.accountId, ids)) {
    const change = cleared(record);
    if (!change) continue;
    const { unverifiedFieldIds = [], ...rest } = record;
    const after: CrmRecord = {
      ...rest,
      ...change,
      updatedBy: actor.id,
      updatedAt: Math.max(now, record.updatedAt),
      ...unverified(unverifiedFieldIds.filter((id) => change.customFields[id] !== undefined)),
    };
    await updateRecord(tx, actor.accountId, after, [], null);
    count++;
  }
  return count;
}

export async function removeRecord(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  id: string,
  { audited = true } = {},
): Promise<void> {
  const locked = await requireLockedRecord(tx, actor, definitions, id);
  const { record } = locked;
  const event = recordDeleted(record, now, locked.eventSequence + 1);
  const { sequence } = event;
  const end = {
    recordId: id,
    sequence,
    at: now,
    from: record.status,
    to: null,
    recordCreatedAt: record.createdAt,
  };
  await deleteRecord(tx, actor.accountId, record.kanbanId, end, event);
  if (audited) await auditDeletion(tx, actor, now, record);
}

/** Its tasks and comments change under this lock too. */
export async function requireLockedRecord(
  tx: Tx,
  actor: Actor,
  definitions: Definitions,
  id: string,
): Promise<LockedRecord & { kanban: KanbanDefinition }> {
  const locked = isId(id) ? await lockRecord(tx, actor.accountId, id) : null;
  const kanban = locked && definitions.kanbans.get(locked.record.kanbanId);
  if (!locked || !kanban || !maySee(actor, kanban)) throw notFound('record');
  return { ...locked, kanban };
}

/** Emits an event about a part of a locked record, such as a task. */
export async function emitAboutRecord(
  tx: Tx,
  { record, eventSequence }: LockedRecord,
  now: number,
  event: WebhookEvent,
  data: object,
): Promise<void> {
  const { accountId, recordId, kanbanId } = record;
  const frozen = freeze({
    event,
    accountId,
    subjectId: recordId,
    sequence: eventSequence + 1,
    kanbanId,
    fieldId: null,
    data,
    timestamp: now,
  });
  await insertRecordEvent(tx, accountId, frozen);
}

export async function requireRecord(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  id: string,
): Promise<CrmRecord> {
  const record = isId(id) ? await findRecord(db, actor.accountId, id) : null;
  if (!record || (visible !== null && !visible.includes(record.kanbanId))) throw notFound('record');
  return record;
}

/** Like `requireRecord`, as JSON. */
export async function requireRecordJson(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  id: string,
): Promise<string> {
  const row = isId(id) ? await findRecordJson(db, actor.accountId, id) : undefined;
  if (!row || (visible !== null && !visible.includes(row.kanban_id))) throw notFound('record');
  return recordJson(row);
}

function checkTitle(text: string): string {
  const title = text.trim();
  if (!title) throw badRequest('title is required');
  if (title.length > limits.titleLength && [...title].length > limits.titleLength) {
    throw badRequest(`title must have at most ${limits.titleLength} characters`);
  }
  return title;
}

function checkStatus(kanban: KanbanDefinition, status: string, current?: string): string {
  if (status === current || kanban.statuses.some((one) => one.value === status)) return status;
  throw badRequest(`status must be one of ${kanban.statuses.map((one) => one.value).join(', ')}`);
}

/** A value equal to the stored one leaves the stored one unchanged. */
function mergeValues(
  kanban: KanbanDefinition,
  stored: FieldValues,
  supplied: { [id: string]: unknown },
): FieldValues {
  const merged = { ...stored };
  for (const [fieldId, value] of checkFieldValues(kanban, supplied)) {
    if (value === null) delete merged[fieldId];
    else if (!sameValue(kanban.fields.get(fieldId)!.type, stored[fieldId] ?? null, value))
      merged[fieldId] = value;
  }
  return merged;
}

/** Only newly assigned users must exist: a user who has left may stay assigned. */
async function mergeAssigned(
  tx: Tx,
  accountId: string,
  stored: string[],
  supplied: string[] | undefined,
): Promise<string[]> {
  if (supplied === undefined) return stored;
  const distinct = [...new Set(supplied)];
  const added = distinct.filter((id) => !stored.includes(id));
  await checkUserIds(tx, accountId, added, 'assignedUserIds');
  return sameSet(stored, distinct) ? stored : distinct;
}
