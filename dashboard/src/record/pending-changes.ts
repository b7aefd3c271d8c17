/**
 * Changes of records that are being sent. What the service says of a record meanwhile, in a read or a live update, does
 * not have the later ones yet: shown as it is, it would hide them, and the next change of the same list would lose them.
 */
import type { CrmRecord, RecordUpdate } from '../../../contract/crm/records.ts';

interface PendingChange {
  change: RecordUpdate;
  isDone: boolean;
}
/** By record: what the service last said of it, and the changes that are being sent. */
const pending = new Map<string, { known: CrmRecord; changes: PendingChange[] }>();

/** `null` clears a value, as in the API. */
function applied<T extends CrmRecord>(record: T, change: RecordUpdate): T {
  const { customFields, addLabelIds = [], removeLabelIds = [], ...rest } = change;
  const values = { ...record.customFields };
  for (const [id, value] of Object.entries(customFields ?? {})) {
    if (value === null) delete values[id];
    else values[id] = value;
  }
  const kept = record.labelIds.filter((id) => !removeLabelIds.includes(id));
  const labelIds = [...new Set([...kept, ...addLabelIds])];
  return { ...record, labelIds, ...rest, customFields: values };
}

const allApplied = <T extends CrmRecord>(record: T, changes: readonly PendingChange[]): T =>
  changes.reduce((shown, { change }) => applied(shown, change), record);

/** `record` is what is shown now; returns what is shown from now on. */
export function addPending<T extends CrmRecord>(record: T, change: RecordUpdate): T {
  const { known, changes } = pending.get(record.recordId) ?? { known: record, changes: [] };
  pending.set(record.recordId, { known, changes: [...changes, { change, isDone: false }] });
  return applied(record, change);
}

/** `answer` null: rejected. Returns what is shown from now on; the other changes of the record stay visible. */
export function settlePending(record: CrmRecord, change: RecordUpdate, answer: CrmRecord | null): CrmRecord {
  const before = pending.get(record.recordId) ?? { known: record, changes: [] };
  const known = answer && answer.updatedAt >= before.known.updatedAt ? answer : before.known;
  const marked = before.changes.flatMap((one) =>
    one.change !== change ? one : answer ? { change, isDone: true } : [],
  );
  // A change that was answered early still replaces what an earlier one shows.
  const first = marked.findIndex(({ isDone }) => !isDone);
  const changes = first < 0 ? [] : marked.slice(first);
  if (first < 0) pending.delete(record.recordId);
  else pending.set(record.recordId, { known, changes });
  return allApplied(known, changes);
}

/** A state that the service sent, with the changes that it may not have yet. The same object if there are none. */
export function withPending<T extends CrmRecord>(state: T): T {
  const found = pending.get(state.recordId);
  if (!found) return state;
  // A rejection falls back to it. What is only shown has the time of the state that it was made from.
  if (state.updatedAt > found.known.updatedAt) pending.set(state.recordId, { ...found, known: state });
  return allApplied(state, found.changes);
}
