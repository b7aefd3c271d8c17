/** Weeks in rows. The days are one tab stop; arrows move between them, Shift with the arrows moves the focused card. */
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { isNewThing } from '../../data/store/entities.ts';
import { t } from '../../texts/texts.ts';
import { CalendarDay } from './calendar-day.tsx';
import { addDays, type Day, isSameMonth } from './calendar-days.ts';
import { focusWhenShown } from './calendar-focus.ts';
import { weekdayName } from './calendar-words.ts';
import type { DaysProps } from './days-props.ts';

const arrows: { [key: string]: number } = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
/** In px: a card with its gap, and the number of the day. */
const cardHeight = 26;
const headHeight = 36;

export function CalendarGrid(props: DaysProps) {
  const { weeks, days, month, active, onActive, onGo, adding, onAdding, onMove, label } = props;
  const body = useRef<HTMLDivElement>(null);
  const fitting = useFitting(body, weeks.length);
  const { onKeyDown } = useGridKeys({ weeks, days, active, onGo, onAdding, onMove });
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      {/* biome-ignore lint/a11y/useSemanticElements: the rows share the height of the window, as rows of a table cannot */}
      <div
        role="grid"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={onKeyDown}
        className="flex min-h-0 min-w-[640px] flex-1 flex-col outline-none"
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus */}
        <div role="row" className="grid shrink-0 grid-cols-7 border-b border-line bg-surface">
          {weeks[0]!.map((day) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: a header that does nothing
            <div
              key={day}
              role="columnheader"
              className="px-2 py-1 text-sm text-muted first-letter:uppercase"
            >
              {weekdayName(day)}
            </div>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        <div ref={body} role="rowgroup" className="flex min-h-0 flex-1 flex-col">
          {weeks.map((week) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus
            <div key={week[0]} role="row" className="grid min-h-24 flex-1 grid-cols-7">
              {week.map((day) => (
                <CalendarDay
                  key={day}
                  day={day}
                  cards={days.get(day) ?? noCards}
                  fitting={fitting}
                  isOutside={weeks.length > 1 && !isSameMonth(day, month)}
                  isActive={day === active}
                  isAdding={adding === day}
                  {...{ board: props.board, field: props.field, isLoading: props.isLoading }}
                  {...{ openId: props.openId, onOpen: props.onOpen, onAdding, onActive }}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

const noCards: readonly never[] = [];

/** How many cards a day can show. */
function useFitting(body: React.RefObject<HTMLDivElement | null>, weeks: number): number {
  const [fitting, setFitting] = useState(3);
  useLayoutEffect(() => {
    const element = body.current;
    if (!element) return;
    const measure = () => {
      const height = Math.max(96, element.clientHeight / weeks);
      setFitting(Math.max(1, Math.floor((height - headHeight) / cardHeight)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [body, weeks]);
  return fitting;
}

/** The day a card is shown in. It has the focus before the next key arrives. */
const dayOf = (card: HTMLElement) => card.closest<HTMLElement>('[data-day]');

type Keys = Pick<DaysProps, 'weeks' | 'days' | 'active' | 'onGo' | 'onAdding' | 'onMove'>;

function useGridKeys({ weeks, days, active, onGo, onAdding, onMove }: Keys) {
  const mayEdit = useMay('records.edit');
  useShortcut('shift+arrowright', () => {}, {
    label: t('calendar.keys.move'),
    group: 'board',
    isListedOnly: true,
    enabled: mayEdit,
  });
  const focus = (day: Day) => {
    onGo(day);
    focusWhenShown(`[data-day="${day}"]`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === 'INPUT') return;
    // Those of the list of a day come here too, though it is elsewhere in the document.
    if (!event.shiftKey && !event.currentTarget.contains(target)) return;
    const by = arrows[event.key];
    const card = (days.get(active) ?? []).find(({ recordId }) => recordId === target.dataset.calendarCard);
    const week = weeks.find((one) => one.includes(active));
    if (by !== undefined && event.shiftKey) {
      if (!mayEdit || !card || isNewThing(card.recordId)) return;
      onMove(card, addDays(active, by));
      onGo(addDays(active, by));
      const cell = `[data-day="${addDays(active, by)}"]`;
      focusWhenShown(`${cell} [data-calendar-card="${card.recordId}"]`, cell);
    } else if (by !== undefined) focus(addDays(active, by));
    else if (event.key === 'Home') focus(week![0]!);
    else if (event.key === 'End') focus(week!.at(-1)!);
    else if (event.key === 'Escape' && card) dayOf(target)?.focus();
    else if ((event.key === 'Enter' || event.key === ' ') && target.dataset.day && mayEdit) onAdding(active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { onKeyDown };
}
