/** What is shown when, what is being added, and where a card is moved to. */
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { findThing } from '../../data/store/entities.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { ErrorState } from '../../ui/display/states.tsx';
import type { LayoutProps } from '../data/layout-props.ts';
import { Agenda } from './agenda.tsx';
import { byDay, calendarQuery, type DateField, type Span, withCalendarLook } from './calendar-data.ts';
import type { Day } from './calendar-days.ts';
import { CalendarGrid } from './calendar-grid.tsx';
import { moveToDay } from './calendar-moves.ts';
import { useCalendarPeriod } from './calendar-period.ts';
import { CalendarToolbar } from './calendar-toolbar.tsx';
import { monthName, rangeOf, shortDay } from './calendar-words.ts';

export interface CalendarProps extends LayoutProps {
  field: DateField;
  span: Span;
}

export function Calendar(props: CalendarProps) {
  const { board, filters, look, field, span, onLook, addingTo, onAddingTo } = props;
  const [adding, setAdding] = useState<Day | null>(null);
  const isWide = useSyncExternalStore(onWidth, () => wide.matches);
  const { weeks, from, to, shown, active, onActive, goTo, step, goToday, keepActive } =
    useCalendarPeriod(span);
  const query = useQuery(calendarQuery(board.id, filters, field, { from, to }));
  const cards = query.data?.cards;
  const days = useMemo(() => byDay(cards ?? [], field), [cards, field]);
  const title = span === 'month' ? monthName(shown) : rangeOf(from, to);

  const move = useCallback((card: Card, day: Day) => void moveToDay(card, field, day), [field]);
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => source.data.kind === 'calendar-card',
        onDrop: ({ source, location }) => {
          const day = location.current.dropTargets[0]?.data.day;
          const card = findThing('record', String(source.data.recordId));
          if (card && typeof day === 'string') move(card, day);
        },
      }),
    [move],
  );

  // The button in the header of the board adds to the day that has the focus.
  const add = adding ?? (addingTo === null ? null : active);
  const onAdding = useCallback(
    (day: Day | null) => {
      setAdding(day);
      if (day === null) onAddingTo(null);
    },
    [onAddingTo],
  );
  const enabled = useMay('records.edit');
  useShortcut('c', () => setAdding(active), { label: t('calendar.keys.add'), group: 'board', enabled });
  useShortcut('t', goToday, { label: t('calendar.keys.today'), group: 'board' });
  useShortcut('pageup', () => step(-1), { label: t('calendar.keys.previous'), group: 'board' });
  useShortcut('pagedown', () => step(1), { label: t('calendar.keys.next'), group: 'board' });
  const show = (next: Span) => {
    keepActive();
    onLook(withCalendarLook(look, field, next));
  };
  useShortcut('v m', () => show('month'), { label: t('calendar.keys.month'), group: 'board' });
  useShortcut('v w', () => show('week'), { label: t('calendar.keys.week'), group: 'board' });

  const View = isWide ? CalendarGrid : Agenda;
  const last = [...days.keys()].sort().at(-1);
  return (
    <section
      aria-label={t('calendar.label', { board: board.name, period: title })}
      className="flex min-h-0 flex-1 flex-col bg-canvas"
    >
      <CalendarToolbar
        board={board}
        field={field}
        span={span}
        title={title}
        onToday={goToday}
        onStep={step}
        onField={(next) => onLook(withCalendarLook(look, next, span))}
        onSpan={show}
      />
      {query.data?.isCut && last && (
        <p role="status" className="border-b border-line bg-warning-soft px-4 py-1.5 text-sm text-warning">
          {t('calendar.cut', { count: number(query.data.cards.length), day: shortDay(last) })}
        </p>
      )}
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <View
          board={board}
          field={field}
          label={title}
          weeks={weeks}
          days={days}
          isLoading={query.isPending || (query.isPlaceholderData && query.data.from !== from)}
          month={shown}
          active={active}
          onActive={onActive}
          onGo={goTo}
          openId={props.openId}
          onOpen={props.onOpen}
          adding={add}
          onAdding={onAdding}
          onMove={move}
        />
      )}
    </section>
  );
}

const wide = matchMedia('(min-width: 768px)');
const onWidth = (listener: () => void) => {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
};
