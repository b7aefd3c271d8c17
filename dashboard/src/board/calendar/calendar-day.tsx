/** One day of the grid: its cards, as many as fit, and the others behind a button. */
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { Plus } from 'lucide-react';
import { type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { useMay } from '../../data/session.ts';
import { number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/display/states.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { CalendarCard } from './calendar-card.tsx';
import { type Day, today } from './calendar-days.ts';
import { dayAndMonthOf, dayNumber, wholeDay } from './calendar-words.ts';
import { DayAdd } from './day-add.tsx';
import type { DaysProps } from './days-props.ts';

export interface CalendarDayProps
  extends Pick<DaysProps, 'board' | 'field' | 'isLoading' | 'openId' | 'onOpen' | 'onAdding' | 'onActive'> {
  day: Day;
  cards: readonly Card[];
  fitting: number;
  isOutside: boolean;
  isActive: boolean;
  isAdding: boolean;
}

export const CalendarDay = memo(function CalendarDay(props: CalendarDayProps) {
  const { day, cards, fitting, isOutside, isActive, isAdding, board, field, isLoading } = props;
  const { openId, onOpen, onAdding, onActive } = props;
  const cell = useRef<HTMLDivElement>(null);
  const [isOver, setIsOver] = useState(false);
  const mayAdd = useMay('records.edit');
  useEffect(() => {
    if (!cell.current) return;
    return dropTargetForElements({
      element: cell.current,
      canDrop: ({ source }) => source.data.kind === 'calendar-card',
      getData: () => ({ day }),
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    });
  }, [day]);

  const isToday = day === today();
  const room = fitting - (isAdding ? 1 : 0);
  const shown = cards.length <= room ? cards : cards.slice(0, Math.max(0, room - 1));
  const hidden = cards.length - shown.length;
  const add = (event: MouseEvent) => {
    const target = event.target as Element;
    if (!event.currentTarget.contains(target)) return;
    if (target.closest('[data-calendar-card], button, input')) return;
    onActive(day);
    if (mayAdd) onAdding(day);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the grid says why
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter is handled by the grid, which moves the focus
    <div
      ref={cell}
      role="gridcell"
      data-day={day}
      tabIndex={isActive ? 0 : -1}
      aria-current={isToday ? 'date' : undefined}
      onFocus={() => onActive(day)}
      onClick={add}
      className={cx(
        'group flex min-w-0 flex-col gap-0.5 overflow-hidden border-r border-b border-line p-1 -outline-offset-2',
        isOutside ? 'bg-canvas' : 'bg-surface',
        isOver && 'bg-accent-soft!',
      )}
    >
      <div className="flex h-6 shrink-0 items-center justify-between px-1 text-sm">
        <span className="sr-only">{`${wholeDay(day)}, ${tn('board.cards', cards.length)}`}</span>
        <span
          aria-hidden
          className={cx(
            'tabular',
            isToday
              ? 'flex h-5 min-w-5 items-center justify-center rounded-full bg-accent px-1 font-medium text-on-accent'
              : isOutside
                ? 'text-faint'
                : 'text-muted',
          )}
        >
          {day.endsWith('-01') && !isToday ? dayAndMonthOf(day) : dayNumber(day)}
        </span>
        {mayAdd && <Plus aria-hidden className="size-3.5 text-faint opacity-0 group-hover:opacity-100" />}
      </div>
      {isAdding && <DayAdd board={board} field={field} day={day} onClose={() => onAdding(null)} />}
      {isLoading && cards.length === 0 && <Skeleton className="h-6" />}
      {shown.map((card) => (
        <CalendarCard
          key={card.recordId}
          {...{ card, board, field, onOpen }}
          isOpen={card.recordId === openId}
          isReachable={isActive}
        />
      ))}
      {hidden > 0 && (
        <Popover
          label={wholeDay(day)}
          className="w-72 p-2"
          trigger={
            <button
              type="button"
              tabIndex={isActive ? 0 : -1}
              aria-label={t('calendar.moreOf', { count: number(hidden), day: wholeDay(day) })}
              className="h-6 shrink-0 rounded-control px-1.5 text-left text-sm text-muted hover:bg-hover hover:text-ink"
            >
              {t('calendar.more', { count: number(hidden) })}
            </button>
          }
        >
          <h3 className="px-1 pb-1.5 font-medium first-letter:uppercase">{wholeDay(day)}</h3>
          <div className="flex max-h-80 flex-col gap-0.5 overflow-y-auto p-0.5">
            {cards.map((card) => (
              <CalendarCard
                key={card.recordId}
                {...{ card, board, field, onOpen }}
                isOpen={card.recordId === openId}
                isReachable
              />
            ))}
          </div>
        </Popover>
      )}
    </div>
  );
});
