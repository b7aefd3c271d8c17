/** The events of records, with the record after the change. */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { type FrozenEvent, freeze } from '../../platform/events/outbox.ts';
import type { KanbanDefinition } from '../kanbans/kanbans.ts';
import type { StatusChange } from './records.status-changes.sql.ts';
import { type FieldValues, sameValue } from './records.values.ts';

export function recordCreated(record: CrmRecord, now: number): FrozenEvent {
  return freeze({ ...subjectOf(record, now), event: 'crm_record_created', sequence: 1, data: { record } });
}

export function recordDeleted(record: CrmRecord, now: number, sequence: number): FrozenEvent {
  return freeze({ ...subjectOf(record, now), event: 'crm_record_deleted', sequence, data: { record } });
}

/** One event per field that really changed; `title`, `status`, `assignedUserIds` and `labelIds` use these names. */
export function recordUpdates(
  kanban: KanbanDefinition,
  before: CrmRecord,
  after: CrmRecord,
  lastSequence: number,
): FrozenEvent[] {
  return changesOf(kanban, before, after).map((change, index) =>
    fieldUpdate(after, change, lastSequence + 1 + index),
  );
}

/** The record lost the value of a deleted field. */
export function fieldCleared(
  after: CrmRecord,
  change: Omit<FieldChange, 'newValue'>,
  sequence: number,
): FrozenEvent {
  return fieldUpdate(after, { ...change, newValue: null }, sequence);
}

/** A deleted label was taken off the record. */
export function labelRemoved(before: CrmRecord, after: CrmRecord, sequence: number): FrozenEvent {
  const change = { fieldId: 'labelIds', fieldName: 'labelIds', oldValue: before.labelIds };
  return fieldUpdate(after, { ...change, newValue: after.labelIds }, sequence);
}

function fieldUpdate(after: CrmRecord, change: FieldChange, sequence: number): FrozenEvent {
  return freeze({
    ...subjectOf(after, after.updatedAt),
    event: 'crm_field_update',
    fieldId: change.fieldId,
    sequence,
    data: {
      recordId: after.recordId,
      kanbanId: after.kanbanId,
      ...change,
      changedBy: after.updatedBy,
      record: after,
    },
  });
}

/** The status change kept for reports; null: the status is the same. */
export function statusChangeOf(
  before: CrmRecord,
  after: CrmRecord,
  events: readonly FrozenEvent[],
): StatusChange | null {
  const event = events.find((one) => one.fieldId === 'status');
  if (!event) return null;
  return {
    recordId: after.recordId,
    sequence: event.sequence,
    at: event.timestamp,
    from: before.status,
    to: after.status,
    recordCreatedAt: after.createdAt,
  };
}

interface FieldChange {
  fieldId: string;
  fieldName: string;
  oldValue: unknown;
  newValue: unknown;
}

function changesOf(kanban: KanbanDefinition, before: CrmRecord, after: CrmRecord): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const fieldId of ['title', 'status', 'assignedUserIds', 'labelIds'] as const) {
    if (before[fieldId] !== after[fieldId]) {
      changes.push({ fieldId, fieldName: fieldId, oldValue: before[fieldId], newValue: after[fieldId] });
    }
  }
  const [oldValues, newValues] = [before.customFields as FieldValues, after.customFields as FieldValues];
  for (const fieldId of new Set([...Object.keys(oldValues), ...Object.keys(newValues)])) {
    const [oldValue, newValue] = [oldValues[fieldId] ?? null, newValues[fieldId] ?? null];
    const field = kanban.fields.get(fieldId);
    if (!field || sameValue(field.type, oldValue, newValue)) continue;
    changes.push({ fieldId, fieldName: field.name, oldValue, newValue });
  }
  return changes;
}

function subjectOf(record: CrmRecord, timestamp: number) {
  const { accountId, recordId: subjectId, kanbanId } = record;
  return { accountId, subjectId, kanbanId, fieldId: null, timestamp };
}
