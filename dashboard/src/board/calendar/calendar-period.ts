/** Which days are shown, and which of them has the focus. A focused day of the next month does not show that month. */
import { useCallback, useMemo, useState } from 'react';
import { locale } from '../../texts/texts.ts';
import type { Span } from './calendar-data.ts';
import {
  addDays,
  addMonths,
  type Day,
  firstWeekday,
  isSameMonth,
  today,
  weekOf,
  weeksOfMonth,
} from './calendar-days.ts';
import { focusWhenShown } from './calendar-focus.ts';

export function useCalendarPeriod(span: Span) {
  const [focused, setFocused] = useState(today);
  /** Any day of the period. */
  const [shown, setShown] = useState(focused);
  const first = firstWeekday(locale());
  const begin = span === 'month' ? `${shown.slice(0, 7)}-01` : weekOf(shown, first)[0]!;
  const weeks = useMemo(
    () => (span === 'month' ? weeksOfMonth(begin, first) : [weekOf(begin, first)]),
    [span, begin, first],
  );
  const [from, to] = [weeks[0]![0]!, weeks.at(-1)!.at(-1)!];
  const active = focused >= from && focused <= to ? focused : shown;

  const onActive = useCallback((day: Day) => {
    setFocused(day);
    setShown((before) => (isSameMonth(before, day) ? day : before));
  }, []);
  const goTo = useCallback((day: Day) => {
    setFocused(day);
    setShown(day);
  }, []);
  const step = (by: 1 | -1) => {
    const begins = span === 'week' || isSameMonth(active, shown) ? active : shown;
    const day = span === 'month' ? addMonths(begins, by) : addDays(begins, 7 * by);
    const hadFocus = focusedInGrid() !== null;
    goTo(day);
    if (hadFocus) focusWhenShown(cellOf(day));
  };
  const goToday = () => {
    goTo(today());
    focusWhenShown(cellOf(today()));
  };
  /** Before the span changes. */
  const keepActive = () => {
    const element = focusedInGrid();
    goTo(active);
    if (!element) return;
    const cell = cellOf(active);
    const card = element.dataset.calendarCard;
    if (card) focusWhenShown(`${cell} [data-calendar-card="${card}"]`, cell);
    else focusWhenShown(cell);
  };
  return { weeks, from, to, shown, active, onActive, goTo, step, goToday, keepActive };
}

const cellOf = (day: Day) => `[data-day="${day}"]`;

function focusedInGrid(): HTMLElement | null {
  const element = document.activeElement as HTMLElement | null;
  return element?.closest('[data-day]') ? element : null;
}
