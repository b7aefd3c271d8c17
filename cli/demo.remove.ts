/** Takes the demo away as if it had never been: no events, no lines in the audit log. */
import { systemActor } from '../server/features/accounts/accounts.ts';
import { loadDefinitions } from '../server/features/kanbans/kanbans.ts';
import { changeRecord } from '../server/features/records/records.ts';
import type { Tx } from '../server/platform/db.ts';
import { CommandError } from './command.ts';
import {
  countOthersRecords,
  deleteDemo,
  isOneOfThemDefault,
  lockBoards,
  selectAssignedElsewhere,
  selectDemoObjects,
} from './demo.sql.ts';

export async function removeDemo(
  tx: Tx,
  accountId: string,
  now: number,
  force: boolean,
): Promise<{ records: number }> {
  await lockBoards(tx, accountId);
  const objects = await selectDemoObjects(tx, accountId);
  if (objects.all.length === 0) throw new CommandError('this account has no demo');
  if (await isOneOfThemDefault(tx, accountId, objects.kanbanIds)) {
    throw new CommandError('a board of the demo is the default board: make another one the default first');
  }
  const others = await countOthersRecords(tx, accountId, objects.kanbanIds);
  if (others > 0 && !force) {
    throw new CommandError(
      `${others} record(s) on the boards of the demo were made by somebody else: --force deletes them too`,
    );
  }
  // These records are not of the demo: what changes in them is told like any other change.
  for (const { id, assignedUserIds } of await selectAssignedElsewhere(tx, accountId, objects)) {
    const definitions = await loadDefinitions(tx, accountId);
    const remaining = assignedUserIds.filter((userId) => !objects.userIds.includes(userId));
    await changeRecord(tx, systemActor(accountId), now, definitions, id, { assignedUserIds: remaining });
  }
  return deleteDemo(tx, accountId, objects);
}
