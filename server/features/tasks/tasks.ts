/** Tasks on records: who does what until when, with one reminder. Users who may see the record may change its tasks. */

import type { Task, TaskCreate, TasksQuery, TaskUpdate } from '../../../contract/crm/tasks.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { isForeignKeyViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { cancelJob, enqueue } from '../../platform/jobs/jobs.ts';
import { type Actor, personOf, selectUsersByIds } from '../accounts/accounts.ts';
import { type Definitions, type KanbanDefinition, maySee, userMaySee } from '../kanbans/kanbans.ts';
import {
  emitAboutRecord,
  type LockedRecord,
  requireLockedRecord,
  requireRecord,
} from '../records/records.ts';
import {
  countTasks,
  deleteTask,
  findTask,
  insertTask,
  lockTask,
  selectTasks,
  updateTask,
} from './tasks.sql.ts';

export { countOpenTasksByKeys, selectTasksByKeys } from './tasks.sql.ts';

/** Handled by realtime, which makes the notification in the transaction that ends the job. */
export const reminderJobKind = jobKind('task-reminder');

export interface TaskContext {
  actor: Actor;
  now: number;
  definitions: Definitions;
}

export async function createTask(
  tx: Tx,
  context: TaskContext,
  recordId: string,
  input: TaskCreate,
): Promise<Task> {
  const { actor, now, definitions } = context;
  const { accountId } = actor;
  const title = checkTitle(input.title);
  const locked = await requireLockedRecord(tx, actor, definitions, recordId);
  if ((await countTasks(tx, accountId, recordId)) >= limits.tasksPerRecord) {
    throw conflict(`a record has at most ${limits.tasksPerRecord} tasks`);
  }
  const task: Task = {
    taskId: newId(now),
    recordId,
    kanbanId: locked.kanban.id,
    recordTitle: locked.record.title,
    title,
    dueAt: input.dueAt ?? null,
    assignedUserId: await checkAssignee(tx, accountId, locked.kanban, input.assignedUserId ?? null),
    remindAt: checkReminder(input.remindAt ?? null, now),
    doneAt: null,
    doneBy: null,
    createdBy: actor.id,
    updatedBy: actor.id,
    createdAt: now,
    updatedAt: now,
    clientId: input.clientId ?? null,
  };
  await insertTask(tx, accountId, task).catch(assigneeIsGone);
  await emitTask(tx, locked, context, 'task_created', task);
  await schedule(tx, accountId, now, null, task);
  return task;
}

export async function changeTask(
  tx: Tx,
  context: TaskContext,
  id: string,
  change: TaskUpdate,
): Promise<Task> {
  const { actor, now } = context;
  const { accountId } = actor;
  const { task: before, ...locked } = await requireLockedTask(tx, context, id);
  const isSame = (key: 'assignedUserId' | 'remindAt') =>
    change[key] === undefined || change[key] === before[key];
  const isDone = change.done ?? before.doneAt !== null;
  const after: Task = {
    ...before,
    title: change.title === undefined ? before.title : checkTitle(change.title),
    dueAt: change.dueAt === undefined ? before.dueAt : change.dueAt,
    assignedUserId: isSame('assignedUserId')
      ? before.assignedUserId
      : await checkAssignee(tx, accountId, locked.kanban, change.assignedUserId ?? null),
    remindAt: isSame('remindAt') ? before.remindAt : checkReminder(change.remindAt ?? null, now),
    doneAt: isDone ? (before.doneAt ?? now) : null,
    doneBy: isDone ? (before.doneBy ?? actor.id) : null,
  };
  const isChanged = (Object.keys(after) as (keyof Task)[]).some((key) => after[key] !== before[key]);
  if (!isChanged) return before;
  const task = { ...after, updatedBy: actor.id, updatedAt: Math.max(now, before.updatedAt) };
  await updateTask(tx, accountId, task).catch(assigneeIsGone);
  await emitTask(tx, locked, context, 'task_updated', task);
  await schedule(tx, accountId, now, before, task);
  return task;
}

export async function removeTask(tx: Tx, context: TaskContext, id: string): Promise<void> {
  const { task, ...locked } = await requireLockedTask(tx, context, id);
  const { accountId } = context.actor;
  await deleteTask(tx, accountId, task.taskId);
  await emitTask(tx, locked, context, 'task_deleted', task);
  await schedule(tx, accountId, context.now, task, null);
}

export async function requireTask(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  id: string,
): Promise<Task> {
  const task = isId(id) ? await findTask(db, actor.accountId, id) : null;
  if (!task || (visible !== null && !visible.includes(task.kanbanId))) throw notFound('task');
  return task;
}

export async function listTasks(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  query: TasksQuery,
): Promise<Page<Task>> {
  const { done, dueBefore, dueAfter, recordId } = query;
  const assignedUserId = query.assignedUserId === 'me' ? (personOf(actor)?.id ?? '') : query.assignedUserId;
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['tasks', actor.accountId, assignedUserId, done, dueBefore, dueAfter, recordId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  // An impossible id is a filter that matches nothing.
  if ([assignedUserId, recordId].some((id) => id !== undefined && !isId(id))) {
    return { items: [], nextToken: null };
  }
  const rows = await selectTasks(
    db,
    actor.accountId,
    { assignedUserId, done, dueBefore, dueAfter, recordId, visibleKanbanIds: visible },
    cursor && { at: Number(cursor[0]), createdAt: Number(cursor[1]), id: String(cursor[2]) },
    size + 1,
  );
  const page = cutPage(rows, size, (last) => tokens.issue([last.place, last.createdAt, last.taskId], scope));
  return { ...page, items: page.items.map(({ place: _place, ...task }) => task) };
}

export async function listTasksOfRecord(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  recordId: string,
  query: TasksQuery,
): Promise<Page<Task>> {
  await requireRecord(db, actor, visible, recordId);
  return listTasks(db, actor, visible, tokens, { ...query, recordId });
}

/**
 * The task whose reminder is due, locked; null if the reminder was changed or removed, or the task is done. The caller
 * ends the job in the same transaction.
 */
export async function lockTaskToRemind(
  tx: Tx,
  accountId: string,
  { taskId, remindAt }: { taskId: string; remindAt: number },
): Promise<Task | null> {
  const task = await lockTask(tx, accountId, taskId);
  return task && task.doneAt === null && task.remindAt === remindAt ? task : null;
}

/** The record first, then the task: the same order as deleting the record. */
async function requireLockedTask(
  tx: Tx,
  { actor, definitions }: TaskContext,
  id: string,
): Promise<LockedRecord & { kanban: KanbanDefinition; task: Task }> {
  const found = isId(id) ? await findTask(tx, actor.accountId, id) : null;
  const kanban = found && definitions.kanbans.get(found.kanbanId);
  if (!found || !kanban || !maySee(actor, kanban)) throw notFound('task');
  const locked = await requireLockedRecord(tx, actor, definitions, found.recordId);
  const task = await lockTask(tx, actor.accountId, id);
  if (!task) throw notFound('task');
  return { ...locked, task };
}

async function emitTask(
  tx: Tx,
  locked: LockedRecord,
  { actor, now }: TaskContext,
  event: 'task_created' | 'task_updated' | 'task_deleted',
  task: Task,
): Promise<void> {
  await emitAboutRecord(tx, locked, now, event, { task, changedBy: actor.id });
}

/** One job per task and time of the reminder, so that a changed reminder never waits for a running job. */
async function schedule(
  tx: Tx,
  accountId: string,
  now: number,
  before: Task | null,
  after: Task | null,
): Promise<void> {
  const [old, wanted] = [reminderOf(before, now), reminderOf(after, now)];
  if (old?.dedupeKey === wanted?.dedupeKey) return;
  const kind = reminderJobKind;
  if (old) await cancelJob(tx, { accountId, kind, dedupeKey: old.dedupeKey });
  if (wanted) await enqueue(tx, { accountId, kind, ...wanted });
}

function reminderOf(task: Task | null, now: number) {
  if (!task || task.doneAt !== null || task.remindAt === null || task.remindAt <= now) return null;
  const { taskId, remindAt } = task;
  return {
    dedupeKey: `${taskId}:${remindAt}`,
    payload: { taskId, remindAt },
    delayMs: remindAt - now,
  };
}

function checkTitle(text: string): string {
  const title = text.trim();
  if (!title) throw badRequest('title is required');
  if (title.length > limits.taskTitleLength && [...title].length > limits.taskTitleLength) {
    throw badRequest(`title must have at most ${limits.taskTitleLength} characters`);
  }
  return title;
}

function checkReminder(remindAt: number | null, now: number): number | null {
  if (remindAt !== null && remindAt <= now) throw badRequest('remindAt must be in the future');
  return remindAt;
}

/** The assigned user gets notifications with the titles of the task and the record. */
async function checkAssignee(
  tx: Tx,
  accountId: string,
  kanban: KanbanDefinition,
  id: string | null,
): Promise<string | null> {
  if (id === null) return null;
  const [user] = isId(id) ? await selectUsersByIds(tx, accountId, [id]) : [];
  if (!user || !userMaySee(user, kanban)) {
    throw badRequest(`assignedUserId must be someone who may see this board: ${id.slice(0, 100)}`);
  }
  return id;
}

/** Deleted after the check; the record is locked and cannot be what is missing. */
function assigneeIsGone(error: unknown): never {
  if (isForeignKeyViolation(error)) throw badRequest('assignedUserId must be someone who may see this board');
  throw error;
}
