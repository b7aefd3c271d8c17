/** Two people edit one field: the later wins, and the earlier is told. */
import type { CrmRecord, RecordUpdate } from '../../../contract/records.ts';

interface OwnEdit {
  value: unknown;
  at: number;
}

const edits = new Map<string, OwnEdit>();
const rememberedMs = 60_000;
const keyOf = (recordId: string, field: string) => `${recordId} ${field}`;

export function noteOwnEdit(recordId: string, { customFields, ...rest }: RecordUpdate): void {
  for (const [field, value] of [...Object.entries(rest), ...Object.entries(customFields ?? {})]) {
    edits.set(keyOf(recordId, field), { value, at: Date.now() });
  }
}

/** The fields of ours that someone else has changed to something else; each is told once. */
export function overwrittenFields(record: CrmRecord, userId: string): string[] {
  if (record.updatedBy === userId) return [];
  const now = Date.now();
  const found: string[] = [];
  for (const [key, edit] of edits) {
    if (now - edit.at > rememberedMs) edits.delete(key);
    else if (key.startsWith(`${record.recordId} `)) {
      const field = key.slice(record.recordId.length + 1);
      const value = field in record ? record[field as keyof CrmRecord] : (record.customFields[field] ?? null);
      if (JSON.stringify(value) === JSON.stringify(edit.value)) continue;
      edits.delete(key);
      found.push(field);
    }
  }
  return found;
}
