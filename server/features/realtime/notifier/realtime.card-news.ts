/** Notifications about the tasks and comments of a record. */

import type { Task } from '../../../../contract/crm/tasks.ts';
import type { NotificationTopic } from '../../../../contract/notifications.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { personMay } from '../../accounts/accounts.ts';
import { selectCommentsByKeys } from '../../comments/comments.ts';
import { userMaySee } from '../../kanbans/kanbans.ts';
import { selectTasksByKeys } from '../../tasks/tasks.ts';
import type { LoggedChange } from '../realtime.log.sql.ts';
import {
  findName,
  findRecordPeople,
  type NewNotification,
  type Recipient,
  selectColleagues,
} from '../realtime.notifications.sql.ts';
import { type Boards, excerpt, recipients } from './realtime.news.ts';

/** Another user assigned the task to this user, and it still is assigned to them. */
export async function taskAssigned(
  tx: Tx,
  boards: Boards,
  { accountId, itemId, userId, detail }: LoggedChange,
  now: number,
): Promise<NewNotification | null> {
  if (detail === userId) return null;
  const [task] = await selectTasksByKeys(tx, [{ accountId, id: itemId! }]);
  if (!task || task.doneAt !== null || task.assignedUserId !== userId) return null;
  const name = detail === null ? null : await findName(tx, accountId, detail);
  return {
    kind: 'task_assigned',
    subjectId: task.taskId,
    recordId: task.recordId,
    title: excerpt(task.title),
    body: [name, task.recordTitle].filter((part) => part !== null).join(' · '),
    to: await peopleOf(tx, boards, accountId, task.kanbanId, [userId!], 'task_assigned', now),
  };
}

/** Those who are looking at the record see the comment anyway. */
export async function commentMentions(
  tx: Tx,
  boards: Boards,
  { accountId, subjectId: recordId, itemId, userId }: LoggedChange,
  now: number,
): Promise<NewNotification | null> {
  const [comment] = await selectCommentsByKeys(tx, [{ accountId, id: itemId! }]);
  // Reverted meanwhile, or the comment is gone.
  if (!comment?.mentions.some(({ id }) => id === userId) || comment.author.id === userId) return null;
  const record = await findRecordPeople(tx, accountId, recordId);
  if (!record || record.viewerIds.includes(userId!)) return null;
  return {
    kind: 'comment_mention',
    subjectId: recordId,
    recordId,
    title: `${comment.author.name} · ${record.title}`,
    body: excerpt(comment.content.trim()),
    to: await peopleOf(tx, boards, accountId, record.kanbanId, [userId!], 'mention', now),
  };
}

/** For the assigned user, else the creator; a task that a token created is for the owners of the record. */
export async function reminderOf(
  tx: Tx,
  boards: Boards,
  accountId: string,
  task: Task,
  now: number,
): Promise<NewNotification> {
  const idsFor = async (ids: readonly string[]) =>
    peopleOf(tx, boards, accountId, task.kanbanId, ids, 'task_reminder', now);
  const isUser = async (id: string) => (await selectColleagues(tx, accountId)).some((one) => one.id === id);
  const owner = task.assignedUserId ?? ((await isUser(task.createdBy)) ? task.createdBy : null);
  const owners = owner
    ? [owner]
    : ((await findRecordPeople(tx, accountId, task.recordId))?.assignedUserIds ?? []);
  return {
    kind: 'task_reminder',
    subjectId: task.taskId,
    recordId: task.recordId,
    title: excerpt(task.title),
    body: task.recordTitle,
    to: await idsFor(owners),
  };
}

async function peopleOf(
  tx: Tx,
  boards: Boards,
  accountId: string,
  kanbanId: string,
  userIds: readonly string[],
  topic: NotificationTopic,
  now: number,
): Promise<Recipient[]> {
  const kanban = (await boards(tx, accountId)).kanbans.get(kanbanId);
  if (!kanban) return [];
  const may = (await selectColleagues(tx, accountId)).filter(
    (one) => userIds.includes(one.id) && personMay(one, 'records.view') && userMaySee(one, kanban),
  );
  return recipients(may, () => topic, now);
}
