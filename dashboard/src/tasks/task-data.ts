/** Lists of tasks: those of a record, and those of a user, by due date; completed ones newest first. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Task } from '../../../contract/crm/tasks.ts';
import { api, type Page } from '../data/api.ts';
import { useLive } from '../data/live.ts';
import { keys } from '../data/queries.ts';
import { all, findThing, hear, hearDeleted, patch } from '../data/store/entities.ts';
import {
  addList,
  hasInPages,
  type Ids,
  ofKind,
  readPage,
  selectPages,
  withId,
  withoutId,
} from '../data/store/lists.ts';

export type TaskList = { recordId: string } | { userId: string };
type State = 'open' | 'done';

const select = selectPages('task');

export const tasksQuery = (list: TaskList, state: State) =>
  infiniteQueryOptions({
    queryKey: [...keys.tasks, list, state],
    queryFn: async ({ pageParam, signal }) =>
      readPage(
        'task',
        await api<Page<Task>>('GET', '/tasks', {
          query: {
            ...('recordId' in list ? { recordId: list.recordId } : { assignedUserId: list.userId }),
            done: state === 'done',
            limit: state === 'done' ? 20 : 100,
            nextToken: pageParam,
          },
          signal,
        }),
      ),
    select,
    ...ofKind('task'),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });

addList<'task', Ids>({
  kind: 'task',
  isOf: ([start]) => start === keys.tasks[0],
  has: hasInPages,
  placed(data, task, { key }) {
    const [, list, state] = key as unknown as [string, TaskList, State];
    const isOf = 'recordId' in list ? task.recordId === list.recordId : task.assignedUserId === list.userId;
    const without = withoutId(data, task.taskId);
    if (!isOf || (state === 'done') !== (task.doneAt !== null)) return without;
    return withId(without, task.taskId, (id) => {
      const other = findThing('task', id);
      return other !== null && isBefore(task, other);
    });
  },
});

/** The order of the service. */
function isBefore(a: Task, b: Task): boolean {
  if (a.doneAt !== null && b.doneAt !== null) {
    return a.doneAt !== b.doneAt ? a.doneAt > b.doneAt : a.taskId > b.taskId;
  }
  const [due, otherDue] = [a.dueAt ?? Number.MAX_SAFE_INTEGER, b.dueAt ?? Number.MAX_SAFE_INTEGER];
  if (due !== otherDue) return due < otherDue;
  return a.createdAt !== b.createdAt ? a.createdAt < b.createdAt : a.taskId < b.taskId;
}

function rename({ record: { recordId, title } }: { record: CrmRecord }): void {
  for (const { taskId } of all('task')) {
    const task = findThing('task', taskId);
    if (task?.recordId === recordId && task.recordTitle !== title)
      patch('task', taskId, { recordTitle: title });
  }
}

const hearTask = ({ task }: { task: Task }) => void hear('task', task);

export function useTasksLive(): void {
  useLive('task.created', hearTask);
  useLive('task.updated', hearTask);
  useLive(
    'task.deleted',
    useCallback(({ taskId }) => hearDeleted('task', taskId), []),
  );
  useLive('record.updated', rename);
}
