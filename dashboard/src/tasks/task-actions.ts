/** Changes of tasks: applied optimistically, reverted with a message when rejected, undoable. */
import { randomId } from '../../../browser/random-id.ts';
import type { Task, TaskCreate, TaskUpdate } from '../../../contract/crm/tasks.ts';
import { api } from '../data/api.ts';
import { t } from '../texts/texts.ts';
import { deleteLater } from '../ui/overlays/delete-later.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { whileCreating, whilePending } from './pending-tasks.ts';
import { dropTask, placeTask } from './task-cache.ts';

/** The task is shown before the service has created it. */
export async function createTask(
  record: { recordId: string; kanbanId: string; title: string },
  input: TaskCreate,
  userId: string,
): Promise<void> {
  const now = Date.now();
  const clientId = randomId();
  const temporary: Task = {
    taskId: `new-${clientId}`,
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
    clientId,
  };
  const attempt = async () => {
    placeTask(temporary);
    try {
      const task = await whileCreating(clientId, () =>
        api<Task>('POST', `/crm/records/${record.recordId}/tasks`, {
          body: { ...input, clientId },
          idempotencyKey: clientId,
        }),
      );
      dropTask(temporary.taskId);
      placeTask(task);
    } catch (error) {
      dropTask(temporary.taskId);
      toast.failed(t('tasks.addFailed'), error, () => void attempt());
    }
  };
  await attempt();
}

/** `done`: the message with Undo after success. */
export async function changeTask(task: Task, change: TaskUpdate, done?: string): Promise<void> {
  const { done: isDone, ...rest } = change;
  const shown: Task = { ...task, ...rest };
  if (isDone !== undefined) shown.doneAt = isDone ? Date.now() : null;
  placeTask(shown);
  try {
    const saved = await whilePending(task.taskId, () =>
      api<Task>('PATCH', `/tasks/${task.taskId}`, { body: change }),
    );
    placeTask(saved);
    if (done) toast.undo(done, () => void changeTask(saved, inverse(task, change)));
  } catch (error) {
    placeTask(task);
    toast.failed(t('tasks.changeFailed'), error, () => void changeTask(task, change, done));
  }
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

export function deleteTask(task: Task): void {
  dropTask(task.taskId);
  deleteLater([{ path: `/tasks/${task.taskId}`, restore: () => placeTask(task) }], {
    said: t('tasks.deleted'),
    failed: t('tasks.deleteFailed'),
  });
}
