/** Two people edit the same field: the later edit wins, and the first person is notified. */
import type { CrmRecord, RecordUpdate } from '../../../contract/crm/records.ts';
import { BoundedMap } from '../data/bounded-map.ts';

interface OwnEdit {
  recordId: string;
  field: string;
  value: unknown;
}

const edits = new BoundedMap<OwnEdit>({ max: 1_000, maxAgeMs: 60_000 });

/** Labels are added and removed one by one: they are never overwritten. */
export function noteOwnEdit(
  recordId: string,
  { customFields, addLabelIds: _added, removeLabelIds: _removed, ...rest }: RecordUpdate,
): void {
  for (const [field, value] of [...Object.entries(rest), ...Object.entries(customFields ?? {})]) {
    edits.set(`${recordId} ${field}`, { recordId, field, value });
  }
}

/** The fields that someone else changed after this person did; each is reported once. */
export function overwrittenFields(record: CrmRecord, userId: string): string[] {
  if (record.updatedBy === userId) return [];
  const found: string[] = [];
  for (const [key, { recordId, field, value }] of edits.entries()) {
    if (recordId !== record.recordId) continue;
    const current = field in record ? record[field as keyof CrmRecord] : (record.customFields[field] ?? null);
    if (JSON.stringify(current) === JSON.stringify(value)) continue;
    edits.delete(key);
    found.push(field);
  }
  return found;
}
