/** The tasks of a card: open ones by due date, completed ones behind a button. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight, Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { limits } from '../../../contract/limits.ts';
import { useMay, useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { Count } from '../ui/display/badge.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { createTask } from './task-actions.ts';
import { tasksQuery, useTasksLive } from './task-data.ts';
import { AssigneePicker, DuePicker } from './task-pickers.tsx';
import { TaskRow } from './task-row.tsx';

export default function RecordTasks({ record }: { record: CrmRecord }) {
  useTasksLive();
  const mayEdit = useMay('records.edit');
  const open = useInfiniteQuery(tasksQuery({ recordId: record.recordId }, 'open'));
  const tasks = open.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label={t('tasks.section')} className="border-t border-line px-5 py-4">
      <h3 className="mb-2 flex items-center gap-2 font-medium">
        {t('tasks.section')}
        {tasks.length > 0 && <Count>{`${tasks.length}${open.hasNextPage ? '+' : ''}`}</Count>}
      </h3>
      {open.isPending && <Skeleton className="h-7" />}
      {open.isError && <ErrorState error={open.error} onRetry={() => void open.refetch()} />}
      <ul className="flex flex-col">
        {tasks.map((task) => (
          <TaskRow key={task.taskId} task={task} />
        ))}
      </ul>
      {open.hasNextPage && <More query={open} />}
      {mayEdit && <QuickAdd record={record} />}
      {!mayEdit && open.isSuccess && tasks.length === 0 && <p className="text-muted">{t('tasks.empty')}</p>}
      <Completed recordId={record.recordId} />
    </section>
  );
}

const More = ({ query }: { query: { isFetchingNextPage: boolean; fetchNextPage(): unknown } }) => (
  <Button tone="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
    {t('ui.loadMore')}
  </Button>
);

/** Enter adds the task and leaves the field ready for the next one. */
function QuickAdd({ record }: { record: CrmRecord }) {
  const { user } = useSignedIn();
  const [title, setTitle] = useState('');
  const [dueAt, setDueAt] = useState<number | null>(null);
  const [assignedUserId, setAssigned] = useState<string | null>(user.id);
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '') return;
    void createTask(record, { title: title.trim(), dueAt, assignedUserId }, user.id);
    setTitle('');
    setDueAt(null);
  };
  return (
    <form
      onSubmit={add}
      className="group/task -mx-2 flex flex-wrap items-center gap-x-1 rounded-control py-0.5 pr-1 pl-2 focus-within:bg-hover/60"
    >
      <Plus aria-hidden className="size-4 shrink-0 text-faint" />
      <input
        aria-label={t('tasks.add')}
        placeholder={t('tasks.add')}
        autoComplete="off"
        maxLength={limits.taskTitleLength}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || title === '') return;
          event.stopPropagation();
          setTitle('');
        }}
        className="h-7 min-w-44 flex-1 rounded-control bg-transparent px-1.5 placeholder:text-faint"
      />
      {title !== '' && (
        <span className="ml-auto flex items-center">
          <DuePicker value={dueAt} onChange={setDueAt} />
          <AssigneePicker value={assignedUserId} kanbanId={record.kanbanId} onChange={setAssigned} />
          <Button type="submit" size="small" className="ml-1">
            {t('ui.add')}
          </Button>
        </span>
      )}
    </form>
  );
}

function Completed({ recordId }: { recordId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const done = useInfiniteQuery({ ...tasksQuery({ recordId }, 'done') });
  const tasks = done.data?.pages.flatMap((page) => page.items) ?? [];
  if (tasks.length === 0) return null;
  return (
    <div className="mt-1">
      <Button
        tone="quiet"
        size="small"
        className="-ml-1"
        aria-expanded={isOpen}
        icon={<ChevronRight className={cx('size-3.5 transition-transform', isOpen && 'rotate-90')} />}
        onClick={() => setIsOpen(!isOpen)}
      >
        {t('tasks.done', { count: `${tasks.length}${done.hasNextPage ? '+' : ''}` })}
      </Button>
      {isOpen && (
        <>
          <ul className="flex flex-col">
            {tasks.map((task) => (
              <TaskRow key={task.taskId} task={task} />
            ))}
          </ul>
          {done.hasNextPage && <More query={done} />}
        </>
      )}
    </div>
  );
}
