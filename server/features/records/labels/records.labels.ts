/** What labels need of records. */
import type { Labelled } from '../../labels/labels.ts';
import { lockRecordsById } from '../records.deleted-field.sql.ts';
import { labelRemoved } from '../records.events.ts';
import { countLabelled, removeLabel, selectLabelledIds } from './records.labels.sql.ts';

/** Other writes wait for the records of a batch. */
const atATime = 100;

export const labelledRecords: Labelled = {
  count: countLabelled,
  async removeLabel(tx, accountId, now, { labelId, deletedBy }) {
    const ids = await selectLabelledIds(tx, accountId, labelId, atATime);
    const locked = (await lockRecordsById(tx, accountId, ids)).filter(({ record }) =>
      record.labelIds.includes(labelId),
    );
    const events = locked.map(({ record, eventSequence }) => {
      const labelIds = record.labelIds.filter((id) => id !== labelId);
      const updatedAt = Math.max(now, record.updatedAt);
      return labelRemoved(
        record,
        { ...record, labelIds, updatedBy: deletedBy.id, updatedAt },
        eventSequence + 1,
      );
    });
    if (events.length > 0) await removeLabel(tx, accountId, labelId, deletedBy.id, now, events);
    return ids.length === atATime;
  },
};
