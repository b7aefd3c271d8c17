import { ListTodo } from 'lucide-react';
import type { Card } from '../../../../contract/dashboard.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';

/** How many tasks are open; red with a word for screen readers when one is overdue. */
export function OpenTasks({ tasks }: { tasks: Card['tasks'] }) {
  if (tasks.open === 0) return null;
  const isLate = tasks.nextDueAt !== null && tasks.nextDueAt < Date.now();
  const text = [tn('board.tasks', tasks.open), ...(isLate ? [t('board.tasksOverdue')] : [])].join(', ');
  return (
    <span
      title={text}
      data-open-tasks={isLate ? 'late' : ''}
      className={cx(
        'tabular flex items-center gap-1 self-start text-sm',
        isLate ? 'font-medium text-danger' : 'text-muted',
      )}
    >
      <ListTodo aria-hidden className="size-3" />
      {tasks.open}
      {isLate && <span>{t('board.tasksOverdue')}</span>}
    </span>
  );
}
