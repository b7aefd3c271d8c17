/** Changes of tasks that are being sent. */
import type { Task } from '../../../contract/crm/tasks.ts';

const pending = new Map<string, number>();
/** `clientId` of tasks that are being created: their ids are not known yet. */
const created = new Set<string>();

export const isPendingTask = (task: Task) =>
  (pending.get(task.taskId) ?? 0) > 0 || created.has(task.clientId ?? '');

export async function whilePending<T>(taskId: string, run: () => Promise<T>): Promise<T> {
  pending.set(taskId, (pending.get(taskId) ?? 0) + 1);
  try {
    return await run();
  } finally {
    const left = (pending.get(taskId) ?? 1) - 1;
    if (left > 0) pending.set(taskId, left);
    else pending.delete(taskId);
  }
}

export async function whileCreating<T>(clientId: string, run: () => Promise<T>): Promise<T> {
  created.add(clientId);
  try {
    return await run();
  } finally {
    created.delete(clientId);
  }
}
