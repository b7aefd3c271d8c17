/** What labels need of conversations. */
import type { Labelled } from '../labels/labels.ts';
import { lockSessionStates } from './sessions.bulk.sql.ts';
import { countLabelled, selectLabelledIds } from './sessions.labels.sql.ts';
import { changeLifecycle, writeChanges } from './sessions.lifecycle.ts';

/** Customers who write meanwhile wait for a batch. */
const atATime = 100;

export const labelledSessions: Labelled = {
  count: countLabelled,
  async removeLabel(tx, accountId, now, { labelId, deletedBy }) {
    const ids = await selectLabelledIds(tx, accountId, labelId, atATime);
    const states = await lockSessionStates(tx, accountId, ids);
    const changed = [...states.values()]
      .filter(({ labelIds }) => labelIds.includes(labelId))
      .map((state) =>
        changeLifecycle(state, now, deletedBy, {
          labelIds: state.labelIds.filter((id) => id !== labelId),
        }),
      );
    await writeChanges(tx, accountId, changed);
    return ids.length === atATime;
  },
};
