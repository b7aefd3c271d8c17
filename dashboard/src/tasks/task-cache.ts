/** Keeps the cached lists of tasks current, so that local and live changes are visible immediately. */
import type { InfiniteData } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Task } from '../../../contract/crm/tasks.ts';
import type { Page } from '../data/api.ts';
import { useLive } from '../data/live.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { isPendingTask } from './pending-tasks.ts';
import type { TaskList } from './task-data.ts';

type Tasks = InfiniteData<Page<Task>, string | null>;

const lists = () => queryClient.getQueriesData<Tasks>({ queryKey: keys.tasks });

/** Puts the task into every cached list it belongs to and removes it from the others. */
export function placeTask(task: Task): void {
  for (const [key, data] of lists()) {
    if (!data) continue;
    const [, list, state] = key as unknown as [string, TaskList, 'open' | 'done'];
    const isOf = 'recordId' in list ? task.recordId === list.recordId : task.assignedUserId === list.userId;
    const belongs = isOf && (state === 'done') === (task.doneAt !== null);
    const without = remove(data, task.taskId);
    if (belongs) queryClient.setQueryData<Tasks>(key, insert(without, task));
    else if (without !== data) queryClient.setQueryData<Tasks>(key, without);
  }
}

export function dropTask(taskId: string): void {
  for (const [key, data] of lists()) {
    const without = data && remove(data, taskId);
    if (without !== data) queryClient.setQueryData<Tasks>(key, without);
  }
}

function remove(data: Tasks, taskId: string): Tasks {
  const has = (page: Page<Task>) => page.items.some((one) => one.taskId === taskId);
  if (!data.pages.some(has)) return data;
  const pages = data.pages.map((page) =>
    has(page) ? { ...page, items: page.items.filter((one) => one.taskId !== taskId) } : page,
  );
  return { ...data, pages };
}

/** A task that belongs after everything loaded is left for its own page. */
function insert(data: Tasks, task: Task): Tasks {
  const last = data.pages.length - 1;
  const at = data.pages.findIndex((page) => page.items.some((one) => isBefore(task, one)));
  if (at < 0 && data.pages[last]?.nextToken) return data;
  const target = at < 0 ? last : at;
  return {
    ...data,
    pages: data.pages.map((page, index) => {
      if (index !== target) return page;
      const place = page.items.findIndex((one) => isBefore(task, one));
      return { ...page, items: page.items.toSpliced(place < 0 ? page.items.length : place, 0, task) };
    }),
  };
}

/** The order of the service. */
function isBefore(a: Task, b: Task): boolean {
  if (a.doneAt !== null && b.doneAt !== null) {
    return a.doneAt !== b.doneAt ? a.doneAt > b.doneAt : a.taskId > b.taskId;
  }
  const [due, otherDue] = [a.dueAt ?? Number.MAX_SAFE_INTEGER, b.dueAt ?? Number.MAX_SAFE_INTEGER];
  if (due !== otherDue) return due < otherDue;
  return a.createdAt !== b.createdAt ? a.createdAt < b.createdAt : a.taskId < b.taskId;
}

/** While our own change is being sent, live changes of the task are older than what is shown. */
export function useTasksLive(): void {
  const show = useCallback(({ task }: { task: Task }) => {
    if (!isPendingTask(task)) placeTask(task);
  }, []);
  useLive('task.created', show);
  useLive('task.updated', show);
  useLive(
    'task.deleted',
    useCallback(({ taskId }) => dropTask(taskId), []),
  );
  useLive(
    'record.updated',
    useCallback(({ record }) => {
      for (const [key, data] of lists()) {
        const isShown = data?.pages.some(({ items }) =>
          items.some((one) => one.recordId === record.recordId && one.recordTitle !== record.title),
        );
        if (!data || !isShown) continue;
        const rename = (one: Task) =>
          one.recordId === record.recordId ? { ...one, recordTitle: record.title } : one;
        const pages = data.pages.map((page) => ({ ...page, items: page.items.map(rename) }));
        queryClient.setQueryData<Tasks>(key, { ...data, pages });
      }
    }, []),
  );
}
