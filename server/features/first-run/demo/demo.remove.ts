/** Removes the demo completely: no events, no lines in the audit log. */
import type { DemoRemoved } from '../../../../contract/first-run.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { eraseEventsOf, eraseEventsOnKanbans } from '../../../platform/events/erase-events.ts';
import { takeBackLiveChanges } from '../../../platform/events/live-changes.ts';
import { AppError, conflict } from '../../../platform/http/errors.ts';
import { eraseJobsAbout } from '../../../platform/jobs/jobs.ts';
import {
  demoActor,
  eraseAuditEntries,
  eraseUsers,
  lockAccountConfig,
  systemActor,
} from '../../accounts/accounts.ts';
import { releaseFilesOf } from '../../attachments/attachments.ts';
import { eraseAutomations } from '../../automations/automations.ts';
import { eraseChannels, unbindFromChannels } from '../../channels/channels.ts';
import { eraseUnusedContacts, selectContactsOfSessions } from '../../contacts/contacts.ts';
import { eraseKanbans, loadDefinitions } from '../../kanbans/kanbans.ts';
import { tidyGaps } from '../../knowledge/knowledge.ts';
import { eraseLabels } from '../../labels/labels.ts';
import { eraseEarlyReceipts } from '../../messages/messages.ts';
import { changeRecord, eraseRecords, labelledRecords } from '../../records/records.ts';
import { erasePolicies } from '../../service-levels/service-levels.ts';
import { eraseSessions, labelledSessions, returnSessions } from '../../sessions/sessions.ts';
import { eraseTools } from '../../tools/tools.ts';
import { removeKnowledge } from './demo.knowledge.ts';
import {
  countAdded,
  deleteDemo,
  deleteNotifications,
  findChannelOfDemoAgent,
  isOneOfThemDefault,
  selectAssignedElsewhere,
  selectRecordIds,
  selectSessionIds,
} from './demo.remove.sql.ts';
import { type DemoObjects, selectDemoObjects } from './demo.sql.ts';

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
      `${added.records} record(s) on the boards of the demo were created by others: use force to delete them too`,
    );
  }
  if (!force && added.documents > 0) {
    throw conflict(
      `${added.documents} article(s) of the demo were changed by others: use force to delete them too`,
    );
  }
  if (!force && added.messages > 0) {
    throw conflict(`${added.messages} message(s) were added to the demo: use force to delete them too`);
  }
  // These records are not part of the demo: their changes are reported like any other.
  for (const { id, assignedUserIds } of await selectAssignedElsewhere(tx, accountId, objects)) {
    const definitions = await loadDefinitions(tx, accountId);
    const remaining = assignedUserIds.filter((userId) => !objects.userIds.includes(userId));
    await changeRecord(tx, systemActor(accountId), now, definitions, id, { assignedUserIds: remaining });
  }
  // Before what they refer to, which would only switch them off.
  await eraseAutomations(tx, accountId, objects.ruleIds);
  await erasePolicies(tx, accountId, objects.policyIds);
  const { onBoards, elsewhere } = await selectRecordIds(tx, accountId, objects, sessionIds);
  const contactIds = await eraseConversations(tx, accountId, sessionIds, elsewhere);
  // A conversation of others that was moved onto the demo.
  await unbindFromChannels(tx, accountId, objects);
  await returnSessions(tx, accountId, objects);
  await removeKnowledge(tx, demoActor(accountId), now, objects);
  await eraseWorkspace(tx, accountId, objects, onBoards, contactIds);
  return { records: onBoards.length, conversations: sessionIds.length };
}

/** `cards`: the records that the conversations got on boards of others. Returns the contacts that went with them. */
async function eraseConversations(
  tx: Tx,
  accountId: string,
  sessionIds: string[],
  cards: string[],
): Promise<string[]> {
  await releaseFilesOf(tx, accountId, sessionIds);
  await eraseRecords(tx, accountId, cards);
  await eraseEventsOf(tx, accountId, [...cards, ...sessionIds]);
  await deleteNotifications(tx, accountId, sessionIds, cards);
  await eraseEarlyReceipts(tx, accountId, sessionIds);
  await eraseJobsAbout(tx, accountId, 'sessionId', sessionIds);
  const contactIds = await selectContactsOfSessions(tx, accountId, sessionIds);
  await eraseSessions(tx, accountId, sessionIds);
  await tidyGaps(tx, accountId);
  const erased = await eraseUnusedContacts(tx, accountId, contactIds);
  // Live clients get one change per conversation, not one for each of thousands of messages.
  await takeBackLiveChanges(tx, accountId, { type: 'message.deleted' });
  return erased;
}

/** Statuses, fields, groups, members, views, saved replies and logins go with their board or user. */
async function eraseWorkspace(
  tx: Tx,
  accountId: string,
  { all, kanbanIds, userIds, channelIds, agentIds, toolIds, labelIds }: DemoObjects,
  recordIds: string[],
  contactIds: string[],
): Promise<void> {
  await eraseRecords(tx, accountId, recordIds);
  await deleteNotifications(tx, accountId, [], recordIds);
  await eraseEventsOnKanbans(tx, accountId, kanbanIds);
  await eraseChannels(tx, accountId, { channelIds, agentIds });
  await eraseTools(tx, accountId, toolIds);
  await eraseKanbans(tx, accountId, kanbanIds);
  await eraseLabels(tx, accountId, labelIds, [labelledSessions, labelledRecords]);
  await eraseUsers(tx, accountId, userIds);
  await deleteDemo(tx, accountId);
  const targetIds = [...all, ...contactIds];
  await eraseAuditEntries(tx, accountId, { actorId: 'demo', targetIds, kanbanIds });
}
