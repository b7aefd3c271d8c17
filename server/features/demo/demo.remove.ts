/** Takes the demo away as if it had never been: no events, no lines in the audit log. */
import type { DemoRemoved } from '../../../contract/first-run.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError, conflict } from '../../platform/http/errors.ts';
import { lockAccountConfig, systemActor } from '../accounts/accounts.ts';
import { loadDefinitions } from '../kanbans/kanbans.ts';
import { changeRecord } from '../records/records.ts';
import {
  countAdded,
  deleteConversations,
  deleteDemo,
  findChannelOfDemoAgent,
  isOneOfThemDefault,
  moveConversationsAway,
  selectAssignedElsewhere,
  selectSessionIds,
} from './demo.remove.sql.ts';
import { selectDemoObjects } from './demo.sql.ts';

export async function removeDemo(
  tx: Tx,
  accountId: string,
  { now, force }: { now: number; force: boolean },
): Promise<DemoRemoved> {
  await lockAccountConfig(tx, accountId);
  const objects = await selectDemoObjects(tx, accountId);
  if (objects.all.length === 0) throw new AppError(404, 'NOT_FOUND', 'this account has no demo');
  if (await isOneOfThemDefault(tx, accountId, objects.kanbanIds)) {
    throw conflict('a board of the demo is the default board: make another one the default first');
  }
  const channel = await findChannelOfDemoAgent(tx, accountId, objects);
  if (channel !== null) {
    throw conflict(`the channel ${channel} is answered by an agent of the demo: choose another agent first`);
  }
  const sessionIds = await selectSessionIds(tx, accountId, objects.channelIds);
  const added = await countAdded(tx, accountId, objects, sessionIds);
  if (!force && added.records > 0) {
    throw conflict(
      `${added.records} record(s) on the boards of the demo were made by somebody else: force deletes them too`,
    );
  }
  if (!force && added.messages > 0) {
    throw conflict(
      `${added.messages} message(s) were written in the demo since it was made: force deletes them too`,
    );
  }
  // These records are not of the demo: what changes in them is told like any other change.
  for (const { id, assignedUserIds } of await selectAssignedElsewhere(tx, accountId, objects)) {
    const definitions = await loadDefinitions(tx, accountId);
    const remaining = assignedUserIds.filter((userId) => !objects.userIds.includes(userId));
    await changeRecord(tx, systemActor(accountId), now, definitions, id, { assignedUserIds: remaining });
  }
  await deleteConversations(tx, accountId, objects, sessionIds);
  await moveConversationsAway(tx, accountId, objects);
  const records = await deleteDemo(tx, accountId, objects);
  return { records, conversations: sessionIds.length };
}
