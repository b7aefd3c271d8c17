import { Trash2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Task } from '../../../contract/crm/tasks.ts';
import { limits } from '../../../contract/limits.ts';
import { useMay } from '../data/session.ts';
import { isNewThing } from '../data/store/entities.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { Checkbox } from '../ui/controls/checkbox.tsx';
import { changeTask, completeTask, deleteTask } from './task-actions.ts';
import { AssigneePicker, DuePicker, ReminderPicker } from './task-pickers.tsx';

/** A task in the panel of its card; everything of it is edited in place. */
export function TaskRow({ task }: { task: Task }) {
  const isDone = task.doneAt !== null;
  const isNew = isNewThing(task.taskId);
  const mayEdit = useMay('records.edit');
  return (
    <li
      data-task={task.taskId}
      inert={isNew}
      className={cx(
        'group/task -mx-2 flex flex-wrap items-center gap-x-1 rounded-control py-0.5 pr-1 pl-2 focus-within:bg-hover/60 hover:bg-hover/60',
        isNew && 'opacity-60',
      )}
    >
      <Checkbox
        checked={isDone}
        disabled={!mayEdit}
        onChange={() => void completeTask(task)}
        label={t(isDone ? 'tasks.reopen' : 'tasks.complete', { title: task.title })}
      />
      {mayEdit ? (
        <TaskTitle task={task} isDone={isDone} />
      ) : (
        <span title={task.title} className={cx(titleClass(isDone), 'py-1')}>
          {task.title}
        </span>
      )}
      <span className="ml-auto flex items-center">
        <DuePicker
          value={task.dueAt}
          isDone={isDone}
          isReadOnly={!mayEdit}
          onChange={(dueAt) => void changeTask(task, { dueAt })}
        />
        {!isDone && mayEdit && (
          <ReminderPicker
            value={task.remindAt}
            dueAt={task.dueAt}
            onChange={(remindAt) => void changeTask(task, { remindAt })}
          />
        )}
        <AssigneePicker
          value={task.assignedUserId}
          kanbanId={task.kanbanId}
          isReadOnly={!mayEdit}
          onChange={(assignedUserId) => void changeTask(task, { assignedUserId })}
        />
        {mayEdit && (
          <IconButton
            size="small"
            label={t('tasks.delete')}
            className="opacity-0 group-focus-within/task:opacity-100 group-hover/task:opacity-100 pointer-coarse:opacity-100"
            onClick={() => deleteTask(task)}
          >
            <Trash2 className="size-3.5" />
          </IconButton>
        )}
      </span>
    </li>
  );
}

const titleClass = (isDone: boolean) =>
  cx(
    'h-7 min-w-44 flex-1 truncate rounded-control bg-transparent px-1.5',
    isDone && 'text-muted line-through decoration-faint',
  );

/** Enter and leaving save, Escape reverts. */
function TaskTitle({ task, isDone }: { task: Task; isDone: boolean }) {
  const [text, setText] = useState(task.title);
  const [isEditing, setIsEditing] = useState(false);
  const left = useRef(false);
  useEffect(() => {
    if (!isEditing) setText(task.title);
  }, [task.title, isEditing]);
  const leave = () => {
    setIsEditing(false);
    const title = text.trim();
    if (!left.current && title !== '' && title !== task.title) void changeTask(task, { title });
    else setText(task.title);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    left.current = event.key === 'Escape';
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.blur();
  };
  return (
    <input
      aria-label={t('tasks.title')}
      title={task.title}
      autoComplete="off"
      maxLength={limits.taskTitleLength}
      value={text}
      onFocus={() => {
        left.current = false;
        setIsEditing(true);
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={leave}
      onKeyDown={onKeyDown}
      className={titleClass(isDone)}
    />
  );
}
