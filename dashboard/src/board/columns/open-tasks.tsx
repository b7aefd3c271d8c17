import { AlarmClock, ListTodo } from 'lucide-react';
import type { Card } from '../../../../contract/dashboard.ts';
import { t, tn } from '../../texts/texts.ts';

/** How many tasks are open, and a red clock when one of them is overdue. */
export function OpenTasks({ tasks }: { tasks: Card['tasks'] }) {
  if (tasks.open === 0) return null;
  const isLate = tasks.nextDueAt !== null && tasks.nextDueAt < Date.now();
  return (
    <span className="tabular flex items-center gap-1 self-start text-sm text-muted">
      <span title={tn('board.tasks', tasks.open)} className="flex items-center gap-1">
        <ListTodo aria-hidden className="size-3" />
        {tasks.open}
      </span>
      {isLate && (
        <span title={t('board.tasksOverdue')} data-overdue="" className="ml-1 text-danger">
          <AlarmClock aria-hidden className="size-3" strokeWidth={2.5} />
          <span className="sr-only">{t('board.tasksOverdue')}</span>
        </span>
      )}
    </span>
  );
}
