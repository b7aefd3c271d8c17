import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Task } from '../../../contract/crm/tasks.ts';
import { api, type Page } from '../data/api.ts';
import { keys } from '../data/queries.ts';

export type TaskList = { recordId: string } | { userId: string };
type State = 'open' | 'done';

/** By due date; completed ones newest first. */
export const tasksQuery = (list: TaskList, state: State) =>
  infiniteQueryOptions({
    queryKey: [...keys.tasks, list, state],
    queryFn: ({ pageParam, signal }) =>
      api<Page<Task>>('GET', '/tasks', {
        query: {
          ...('recordId' in list ? { recordId: list.recordId } : { assignedUserId: list.userId }),
          done: state === 'done',
          limit: state === 'done' ? 20 : 100,
          nextToken: pageParam,
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });
