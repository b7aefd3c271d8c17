/** Changes of tasks: shown at once, taken back with a message when rejected, undoable. */
import type { Task, TaskCreate, TaskUpdate } from '../../../contract/crm/tasks.ts';
import { deleteLater, makeChange, makeOnce, newChangeId } from '../data/store/changes.ts';
import { newThingId } from '../data/store/entities.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';

/** The task is shown before the service has created it. */
export async function createTask(
  record: { recordId: string; kanbanId: string; title: string },
  input: TaskCreate,
  userId: string,
): Promise<void> {
  const now = Date.now();
  const id = newChangeId();
  const taskId = newThingId(id);
  const task: Task = {
    taskId,
    recordId: record.recordId,
    kanbanId: record.kanbanId,
    recordTitle: record.title,
    title: input.title,
    dueAt: input.dueAt ?? null,
    assignedUserId: input.assignedUserId ?? null,
    remindAt: input.remindAt ?? null,
    doneAt: null,
    doneBy: null,
    createdBy: userId,
    updatedBy: userId,
    createdAt: now,
    updatedAt: now,
    clientId: id,
  };
  const path = `/crm/records/${record.recordId}/tasks`;
  await makeOnce({
    id,
    order: `tasks of ${record.recordId}`,
    request: { method: 'POST', path, body: { ...input, clientId: id } },
    edits: [{ kind: 'task', id: taskId, create: task }],
    failed: t('tasks.addFailed'),
  });
}

/** `done`: the message with Undo after success. */
export async function changeTask(task: Task, change: TaskUpdate, done?: string): Promise<void> {
  const { done: isDone, ...rest } = change;
  const update: Partial<Task> = { ...rest };
  if (isDone !== undefined) update.doneAt = isDone ? Date.now() : null;
  const { answer: saved } = await makeChange<Task>(
    {
      request: { method: 'PATCH', path: `/tasks/${task.taskId}`, body: change },
      edits: [{ kind: 'task', id: task.taskId, update }],
      failed: t('tasks.changeFailed'),
    },
    () => void changeTask(task, change, done),
  );
  if (saved && done) toast.undo(done, () => void changeTask(saved, inverse(task, change)));
}

function inverse(task: Task, change: TaskUpdate): TaskUpdate {
  return {
    ...(change.title !== undefined && { title: task.title }),
    ...(change.dueAt !== undefined && { dueAt: task.dueAt }),
    ...(change.assignedUserId !== undefined && { assignedUserId: task.assignedUserId }),
    ...(change.done !== undefined && { done: task.doneAt !== null }),
  };
}

export const completeTask = (task: Task) =>
  changeTask(task, { done: task.doneAt === null }, task.doneAt === null ? t('tasks.completed') : undefined);

export function deleteTask({ taskId }: Task): void {
  deleteLater([{ path: `/tasks/${taskId}`, edits: [{ kind: 'task', id: taskId, remove: true }] }], {
    said: t('tasks.deleted'),
    failed: t('tasks.deleteFailed'),
  });
}
