/** The due date, the reminder and the assigned user of a task, each a small button that opens its choices. */
import { AlarmClock, Calendar, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useColleagues } from '../inbox/composer/mentions.tsx';
import { clockTime, dayAndMonth } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Picker } from '../ui/controls/picker.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { dayAt, dueText, endOfDay, isOverdue, isWholeDay, nextMonday } from './due.ts';
import { TimePopover } from './time-popover.tsx';

const shownClass = 'flex h-6 shrink-0 items-center gap-1 rounded-control px-1.5 text-sm whitespace-nowrap';

/** Quiet until it is needed: an empty one appears when its row is used. */
const chip = (isSet: boolean) =>
  cx(
    shownClass,
    'hover:bg-hover hover:text-ink aria-expanded:bg-hover',
    isSet
      ? 'text-muted'
      : 'text-faint group-focus-within/task:text-muted group-hover/task:text-muted pointer-coarse:text-muted',
  );

/** For people who may not change it. */
const Shown = ({
  title,
  className,
  children,
}: {
  title: string;
  className?: string | false;
  children: ReactNode;
}) => (
  <span title={title} className={cx(shownClass, 'text-muted', className)}>
    <span className="sr-only">{title}</span>
    <span aria-hidden className="contents">
      {children}
    </span>
  </span>
);

export function DuePicker({
  value,
  isDone = false,
  isReadOnly = false,
  onChange,
}: {
  value: number | null;
  isDone?: boolean;
  isReadOnly?: boolean;
  onChange(at: number | null): void;
}) {
  const now = Date.now();
  const isLate = value !== null && !isDone && isOverdue(value, now);
  const text = value === null ? null : dueText(value, now);
  const label =
    text === null ? t('tasks.setDue') : t(isLate ? 'tasks.overdueAt' : 'tasks.dueAt', { date: text });
  const face = (
    <>
      <Calendar aria-hidden className="size-3.5" />
      {text}
    </>
  );
  if (isReadOnly) {
    return (
      text !== null && (
        <Shown title={label} className={isLate && 'font-medium text-danger!'}>
          {face}
        </Shown>
      )
    );
  }
  return (
    <TimePopover
      label={t('tasks.due')}
      value={value}
      wholeDay="23:59"
      remove={t('tasks.noDue')}
      onChange={onChange}
      choices={[
        { label: t('tasks.today'), at: endOfDay(now) },
        { label: t('tasks.tomorrow'), at: endOfDay(now, 1) },
        {
          label: t('tasks.nextWeek'),
          hint: dayAndMonth(endOfDay(now, nextMonday(now)), now),
          at: endOfDay(now, nextMonday(now)),
        },
      ]}
      trigger={
        <button
          type="button"
          aria-label={label}
          className={cx(chip(value !== null), isLate && 'font-medium text-danger!')}
        >
          {face}
        </button>
      }
    />
  );
}

export function ReminderPicker({
  value,
  dueAt,
  onChange,
}: {
  value: number | null;
  dueAt: number | null;
  onChange(at: number | null): void;
}) {
  const now = Date.now();
  const whenDue = dueAt === null ? null : isWholeDay(dueAt) ? dayAt(dueAt, 0, 9, 0) : dueAt;
  const at = (label: string, time: number) => ({ label, hint: dueText(time, now), at: time });
  const isOver = value !== null && value <= now;
  return (
    <TimePopover
      label={t('tasks.reminder')}
      value={value}
      wholeDay={null}
      remove={t('tasks.noReminder')}
      onChange={onChange}
      choices={[
        { label: t('tasks.inAnHour'), hint: clockTime(now + 3_600_000), at: now + 3_600_000 },
        at(t('tasks.tomorrow'), dayAt(now, 1, 9, 0)),
        at(t('tasks.nextWeek'), dayAt(now, nextMonday(now), 9, 0)),
        ...(whenDue !== null && whenDue > now ? [at(t('tasks.whenDue'), whenDue)] : []),
      ]}
      trigger={
        <button
          type="button"
          aria-label={
            value === null ? t('tasks.setReminder') : t('tasks.remindAt', { date: dueText(value, now) })
          }
          title={value === null ? undefined : t('tasks.remindAt', { date: dueText(value, now) })}
          className={chip(value !== null && !isOver)}
        >
          <AlarmClock aria-hidden className="size-3.5" />
          {value !== null && !isOver && <span className="max-sm:sr-only">{dueText(value, now)}</span>}
        </button>
      }
    />
  );
}

export function AssigneePicker({
  value,
  kanbanId,
  isReadOnly = false,
  onChange,
}: {
  value: string | null;
  kanbanId: string;
  isReadOnly?: boolean;
  onChange(id: string | null): void;
}) {
  const people = useColleagues(kanbanId);
  const person = people.find(({ id }) => id === value);
  const name = person?.name ?? t('record.gone');
  const label = value === null ? t('tasks.assign') : t('tasks.assignedTo', { name });
  const face = value !== null && (
    <span aria-hidden className="flex">
      <Avatar id={value} name={name} tip={false} />
    </span>
  );
  if (isReadOnly) return face && <Shown title={label}>{face}</Shown>;
  return (
    <Picker
      label={t('tasks.assignee')}
      align="end"
      chosen={value === null ? [] : [value]}
      onChange={([id]) => onChange(id ?? null)}
      options={people.map((one) => ({
        value: one.id,
        label: one.name,
        mark: <Avatar id={one.id} name={one.name} tip={false} />,
      }))}
      trigger={
        <button type="button" title={value === null ? undefined : name} className={chip(value !== null)}>
          <span className="sr-only">{label}</span>
          {face || <UserRound aria-hidden className="size-3.5" />}
        </button>
      }
    />
  );
}
