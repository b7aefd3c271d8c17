/**
 * A deleted field's values. They are removed in the transaction that deletes the field, so they are never read
 * afterwards. The crm_field_update of each record follows in batches, by a job that commits with the deletion: a
 * batch's events and the removal of its values from the list are one transaction, so a crash neither loses nor
 * repeats one.
 */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue, type JobHandler, JobReleased } from '../../platform/jobs/jobs.ts';
import type { Actor } from '../accounts/accounts.ts';
import {
  lockRecordsById,
  markChanged,
  setAsideFieldValues,
  takeDeletedValues,
} from './records.deleted-field.sql.ts';
import { fieldCleared } from './records.events.ts';

export const deletedFieldJobKind = jobKind('deleted_field');

/** Other writes wait for the records of a batch; and its events are held in memory. */
const recordsPerBatch = 100;
/** A dry run holds all its events in memory. */
const maxDryRunEvents = 1_000;
/** Every event must be sent: a failing job is retried for days, not given up after ten attempts. */
const attempts = 1_000;

interface DeletedField {
  fieldId: string;
  fieldName: string;
  deletedBy: string;
}

export async function deleteFieldValues(
  tx: Tx,
  actor: Actor,
  now: number,
  field: { id: string; kanbanId: string; name: string },
  isDryRun: boolean,
): Promise<void> {
  const { accountId } = actor;
  if (!(await setAsideFieldValues(tx, accountId, field.kanbanId, field.id))) return;
  const payload: DeletedField = { fieldId: field.id, fieldName: field.name, deletedBy: actor.id };
  if (isDryRun) {
    // A dry run reports the events, so they are emitted here, then rolled back.
    while ((await emitBatch(tx, accountId, payload, now)) && tx.emitted.length < maxDryRunEvents);
    return;
  }
  await enqueue(tx, { accountId, kind: deletedFieldJobKind, payload, maxAttempts: attempts });
}

export function deletedFieldHandler({ db, clock }: { db: Db; clock: Clock }): JobHandler {
  return async (job) => {
    const field = job.payload as unknown as DeletedField;
    for (let more = true; more; ) {
      if (job.isStopping()) throw new JobReleased('the service is stopping');
      more = await db.transaction(async (tx) => {
        await job.keep(tx);
        return emitBatch(tx, job.accountId, field, clock.now());
      });
    }
  };
}

/** Whether there may be more. A record deleted meanwhile has had its last event. */
async function emitBatch(
  tx: Tx,
  accountId: string,
  { fieldId, fieldName, deletedBy }: DeletedField,
  now: number,
): Promise<boolean> {
  const values = await takeDeletedValues(tx, accountId, fieldId, recordsPerBatch);
  const locked = await lockRecordsById(tx, accountId, [...values.keys()]);
  if (locked.length > 0) {
    const events = locked.map(({ record, eventSequence }) => {
      const after = { ...record, updatedBy: deletedBy, updatedAt: Math.max(now, record.updatedAt) };
      const change = { fieldId, fieldName, oldValue: values.get(record.recordId) ?? null };
      return fieldCleared(after, change, eventSequence + 1);
    });
    const ids = locked.map(({ record }) => record.recordId);
    await markChanged(tx, accountId, ids, { updatedBy: deletedBy, updatedAt: now }, events);
  }
  return values.size === recordsPerBatch;
}
