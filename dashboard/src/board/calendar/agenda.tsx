/** The days that have cards, one below the other: for narrow windows. */
import { CalendarDays, Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { EmptyState, Skeleton } from '../../ui/display/states.tsx';
import { CalendarCard } from './calendar-card.tsx';
import { isSameMonth, today } from './calendar-days.ts';
import { shortDay, wholeDay } from './calendar-words.ts';
import { DayAdd } from './day-add.tsx';
import type { DaysProps } from './days-props.ts';

export function Agenda(props: DaysProps) {
  const { board, field, label, weeks, days, isLoading, month, openId, onOpen, adding, onAdding } = props;
  const now = today();
  const mayAdd = useMay('records.edit');
  const list = useRef<HTMLOListElement>(null);
  const from = weeks[0]![0];
  // What is over is above.
  useEffect(() => {
    if (from && !isLoading) list.current?.querySelector('[aria-current="date"]')?.scrollIntoView();
  }, [from, isLoading]);
  const shown = weeks
    .flat()
    .filter((day) => weeks.length === 1 || isSameMonth(day, month) || day === adding)
    .filter((day) => days.has(day) || day === now || day === adding);
  if (isLoading) {
    return (
      <div className="flex flex-col gap-2 p-3">
        <Skeleton className="h-9" />
        <Skeleton className="h-9" />
      </div>
    );
  }
  return (
    <ol
      ref={list}
      aria-label={label}
      className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3 pb-16"
    >
      {shown.map((day) => (
        <li key={day} data-day={day} tabIndex={-1} aria-current={day === now ? 'date' : undefined}>
          <div className="flex items-center justify-between">
            <h3
              className={cx(
                'text-sm font-medium first-letter:uppercase',
                day === now ? 'text-accent-ink' : 'text-muted',
              )}
            >
              {shortDay(day)}
              {day === now && ` · ${t('calendar.today')}`}
            </h3>
            {mayAdd && (
              <IconButton
                label={t('calendar.add', { day: wholeDay(day) })}
                tip={false}
                onClick={() => onAdding(day)}
              >
                <Plus className="size-4" />
              </IconButton>
            )}
          </div>
          <div className="flex flex-col gap-1">
            {adding === day && (
              <DayAdd board={board} field={field} day={day} onClose={() => onAdding(null)} />
            )}
            {(days.get(day) ?? []).map((card) => (
              <CalendarCard
                key={card.recordId}
                {...{ card, board, field, onOpen }}
                isOpen={card.recordId === openId}
                isReachable
                className="h-9!"
              />
            ))}
          </div>
        </li>
      ))}
      {days.size === 0 && (
        <li className="flex flex-1">
          <EmptyState icon={<CalendarDays className="size-4" />} title={t('calendar.nothing')} />
        </li>
      )}
    </ol>
  );
}
