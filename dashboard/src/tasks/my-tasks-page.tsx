/** The tasks assigned to the user: by due date in groups, completed ones at the end. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ListTodo } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Task } from '../../../contract/crm/tasks.ts';
import { PageHeader } from '../app/page-header.tsx';
import { useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Count } from '../ui/display/badge.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { DoneTasks } from './done-tasks.tsx';
import { dueGroups, groupOf } from './due.ts';
import { tasksQuery, useTasksLive } from './task-data.ts';
import { TaskGroup } from './task-group.tsx';
import { useTaskKeys } from './task-keys.ts';

export function MyTasksPage() {
  useTasksLive();
  const { user } = useSignedIn();
  const now = useMinute();
  const query = useInfiniteQuery(tasksQuery({ userId: user.id }, 'open'));
  const [done, setDone] = useState<readonly Task[]>([]);
  const tasks = query.data?.pages.flatMap((page) => page.items) ?? [];
  const keys = useTaskKeys([...tasks, ...done]);
  const groups = dueGroups.map((name) => ({
    name,
    tasks: tasks.filter((task) => groupOf(task.dueAt, now) === name),
  }));
  return (
    <>
      <PageHeader title={t('rail.tasks')}>
        {tasks.length > 0 && <Count>{`${tasks.length}${query.hasNextPage ? '+' : ''}`}</Count>}
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex min-h-full max-w-3xl flex-col px-3 py-4 md:px-6">
          {query.isPending && <Waiting />}
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {query.data && tasks.length === 0 && (
            <EmptyState
              className="flex-none!"
              icon={<ListTodo className="size-4" />}
              title={t('tasks.empty')}
              text={t('tasks.emptyText')}
            />
          )}
          {groups.map(
            (group) =>
              group.tasks.length > 0 && (
                <TaskGroup
                  key={group.name}
                  title={t(`tasks.group.${group.name}`)}
                  isLate={group.name === 'overdue'}
                  tasks={group.tasks}
                  keys={keys}
                />
              ),
          )}
          {query.hasNextPage && (
            <Button
              tone="quiet"
              className="self-start"
              busy={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {t('ui.loadMore')}
            </Button>
          )}
          <DoneTasks userId={user.id} keys={keys} onShown={setDone} />
        </div>
      </div>
    </>
  );
}

const Waiting = () => (
  <div className="flex flex-col gap-3">
    {[0, 1, 2, 3].map((row) => (
      <Skeleton key={row} className="h-8 w-full" />
    ))}
  </div>
);

/** Tasks become overdue, and a day ends, while the page is open. */
function useMinute(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
