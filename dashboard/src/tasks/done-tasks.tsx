import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Task } from '../../../contract/crm/tasks.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { ErrorState } from '../ui/display/states.tsx';
import { tasksQuery } from './task-data.ts';
import { TaskGroup } from './task-group.tsx';
import type { TaskKeys } from './task-keys.ts';

/** Loaded when it is opened. `onShown`: the tasks that the keys reach. */
export function DoneTasks({
  userId,
  keys,
  onShown,
}: {
  userId: string;
  keys: TaskKeys;
  onShown(tasks: readonly Task[]): void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const query = useInfiniteQuery({ ...tasksQuery({ userId }, 'done'), enabled: isOpen });
  const { data } = query;
  useEffect(() => {
    onShown(isOpen ? (data?.pages.flatMap((page) => page.items) ?? []) : []);
  }, [isOpen, data, onShown]);
  const tasks = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="mt-2 flex flex-col items-start">
      <Button
        tone="quiet"
        aria-expanded={isOpen}
        icon={<ChevronRight className={cx('size-3.5 transition-transform', isOpen && 'rotate-90')} />}
        onClick={() => setIsOpen(!isOpen)}
      >
        {t('tasks.group.done')}
      </Button>
      {isOpen && (
        <div className="w-full">
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {data && tasks.length === 0 && <p className="px-2.5 py-1 text-muted">{t('tasks.noneDone')}</p>}
          {tasks.length > 0 && <TaskGroup title={null} tasks={tasks} keys={keys} />}
          {query.hasNextPage && (
            <Button tone="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t('ui.loadMore')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
