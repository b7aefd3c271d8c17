import { memo, useId } from 'react';
import type { Task } from '../../../contract/crm/tasks.ts';
import { BoardDot } from '../app/board-dot.tsx';
import { useMay } from '../data/session.ts';
import { shownTitle } from '../texts/customer-name.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Checkbox } from '../ui/controls/checkbox.tsx';
import { Count } from '../ui/display/badge.tsx';
import { changeTask } from './task-actions.ts';
import type { TaskKeys } from './task-keys.ts';
import { DuePicker, ReminderPicker } from './task-pickers.tsx';

export function TaskGroup({
  title,
  tasks,
  keys,
  isLate = false,
}: {
  /** Null: the caller has a heading. */
  title: string | null;
  tasks: readonly Task[];
  keys: TaskKeys;
  isLate?: boolean;
}) {
  const id = useId();
  return (
    <section aria-labelledby={title === null ? undefined : id} className="mb-4">
      {title !== null && (
        <h2
          id={id}
          className={cx(
            'mb-1 flex items-center gap-2 px-2 text-sm font-medium',
            isLate ? 'text-danger' : 'text-muted',
          )}
        >
          {title}
          <Count>{tasks.length}</Count>
        </h2>
      )}
      <ul>
        {tasks.map((task) => (
          <MyTask key={task.taskId} task={task} keys={keys} />
        ))}
      </ul>
    </section>
  );
}

const MyTask = memo(function MyTask({ task, keys }: { task: Task; keys: TaskKeys }) {
  const isDone = task.doneAt !== null;
  const card = shownTitle(task.recordTitle);
  const mayEdit = useMay('records.edit');
  return (
    <li
      data-task-row={task.taskId}
      aria-label={`${task.title}, ${card}`}
      tabIndex={keys.tabStop === task.taskId ? 0 : -1}
      onFocus={() => keys.onFocus(task.taskId)}
      onKeyDown={keys.onKeyDown}
      className="group/task flex min-h-9 flex-wrap items-center gap-x-2 border-b border-line px-2 py-1 hover:bg-hover/60 focus-visible:-outline-offset-2"
    >
      <Checkbox
        checked={isDone}
        disabled={!mayEdit}
        onChange={() => keys.complete(task)}
        label={t(isDone ? 'tasks.reopen' : 'tasks.complete', { title: task.title })}
      />
      <button
        type="button"
        tabIndex={-1}
        onClick={() => keys.open(task)}
        className="flex min-w-40 flex-1 items-baseline gap-2 text-left max-sm:flex-col max-sm:gap-0"
      >
        <span
          title={task.title}
          className={cx('min-w-0 max-w-full truncate', isDone && 'text-muted line-through decoration-faint')}
        >
          {task.title}
        </span>
        <span className="flex min-w-0 max-w-full items-center gap-1.5 text-sm text-muted">
          <BoardDot id={task.kanbanId} />
          <span title={card} className="min-w-0 truncate">
            {card}
          </span>
        </span>
      </button>
      <span className="ml-auto flex shrink-0 items-center">
        {!isDone && mayEdit && (
          <ReminderPicker
            value={task.remindAt}
            dueAt={task.dueAt}
            onChange={(remindAt) => void changeTask(task, { remindAt })}
          />
        )}
        <DuePicker
          value={task.dueAt}
          isDone={isDone}
          isReadOnly={!mayEdit}
          onChange={(dueAt) => void changeTask(task, { dueAt })}
        />
      </span>
    </li>
  );
});
