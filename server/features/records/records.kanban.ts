/** What boards need of their records. */
import type { RecordsOfKanban } from '../kanbans/kanbans.ts';
import { deleteFieldValues } from './records.deleted-field.ts';
import { recordUpdates, statusChangeOf } from './records.events.ts';
import {
  fieldValuesExist,
  lockRecordsByStatus,
  recordsExist,
  statusesInUse,
  updateStatuses,
} from './records.kanban.sql.ts';
import type { StatusChange } from './records.status-changes.sql.ts';

const recordsAtATime = 500;

export const recordsOfKanban: RecordsOfKanban = {
  hasRecords: recordsExist,
  hasRecordsWithStatus: statusesInUse,
  hasFieldValues: fieldValuesExist,
  deleteFieldValues,
  async moveRecords(tx, actor, now, kanban, from, to) {
    const { accountId } = actor;
    for (;;) {
      const locked = await lockRecordsByStatus(tx, accountId, kanban.id, from, recordsAtATime);
      if (locked.length === 0) return;
      const changes: StatusChange[] = [];
      const events = locked.flatMap(({ record, eventSequence }) => {
        const after = {
          ...record,
          status: to,
          updatedBy: actor.id,
          updatedAt: Math.max(now, record.updatedAt),
        };
        const told = recordUpdates(kanban, record, after, eventSequence);
        changes.push(statusChangeOf(record, after, told)!);
        return told;
      });
      const records = locked.map(({ record }) => record);
      await updateStatuses(
        tx,
        accountId,
        kanban.id,
        records,
        changes,
        { status: to, updatedBy: actor.id, updatedAt: now },
        events,
      );
    }
  },
};
