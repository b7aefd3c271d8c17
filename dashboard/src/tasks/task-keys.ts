/**
 * The keyboard in a list of tasks. Tab leads to one row: j, k and the arrows move from row to row, x completes, Enter
 * opens the card.
 */
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import type { Task } from '../../../contract/crm/tasks.ts';
import { useShortcut } from '../app/shortcuts.tsx';
import { useKanbans } from '../data/queries.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { completeTask } from './task-actions.ts';

export interface TaskKeys {
  /** The one row that Tab leads to. */
  tabStop: string | undefined;
  open(task: Task): void;
  complete(task: Task): void;
  onFocus(taskId: string): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
}

export function useTaskKeys(tasks: readonly Task[]): TaskKeys {
  const navigate = useNavigate();
  const boards = useKanbans();
  const mayComplete = useMay('records.edit');
  const [at, setAt] = useState<string | null>(null);
  const index = tasks.findIndex(({ taskId }) => taskId === at);
  const goTo = (next: number) => {
    const task = tasks[Math.max(0, Math.min(tasks.length - 1, next))];
    if (!task) return;
    setAt(task.taskId);
    document.querySelector<HTMLElement>(`[data-task-row="${CSS.escape(task.taskId)}"]`)?.focus();
  };
  const current = () => tasks[index];
  const open = ({ recordId, kanbanId }: Task) => {
    const board = boards.find(({ id }) => id === kanbanId);
    if (!board) return;
    void navigate({
      to: '/boards/$boardId/records/$recordId',
      params: { boardId: board.slug, recordId },
    });
  };
  /** The next row gets the focus: the completed one leaves the list. */
  const complete = (task: Task) => {
    const place = tasks.findIndex(({ taskId }) => taskId === task.taskId);
    const isFocused = document.activeElement?.closest('[data-task-row]') !== null;
    const next = tasks[place + 1] ?? tasks[place - 1];
    void completeTask(task);
    if (!next || task.doneAt !== null) return;
    setAt(next.taskId);
    if (isFocused)
      document.querySelector<HTMLElement>(`[data-task-row="${CSS.escape(next.taskId)}"]`)?.focus();
  };
  useShortcut('j', () => goTo(index + 1), { label: t('tasks.keys.next'), group: 'list' });
  useShortcut('k', () => goTo(index - 1), { label: t('tasks.keys.previous'), group: 'list' });
  useShortcut('x', () => current() && complete(current()!), {
    label: t('tasks.keys.complete'),
    group: 'list',
    enabled: mayComplete,
    isChange: true,
  });
  useShortcut('enter', () => current() && open(current()!), {
    label: t('tasks.keys.open'),
    group: 'list',
    isListedOnly: true,
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target !== event.currentTarget) return;
    if (event.key === 'ArrowDown') goTo(index + 1);
    else if (event.key === 'ArrowUp') goTo(index - 1);
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(tasks.length - 1);
    else if (event.key === 'Enter' && current()) open(current()!);
    else return;
    event.preventDefault();
  };
  return { tabStop: tasks[Math.max(0, index)]?.taskId, open, complete, onFocus: setAt, onKeyDown };
}
