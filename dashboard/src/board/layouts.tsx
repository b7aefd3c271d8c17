/** The ways to show the cards of a board. Filters, order, selection and saved views are the same in all of them. */
import { Calendar, SquareKanban, Table2 } from 'lucide-react';
import type { ComponentType } from 'react';
import { lazyView } from '../app/lazy-view.tsx';
import { withTexts } from '../texts/texts.ts';
import { BoardColumns } from './columns/board-columns.tsx';
import type { LayoutName } from './data/board-look.ts';
import type { DisplayProps, LayoutProps } from './data/layout-props.ts';

interface BoardLayout {
  /** One after the other. */
  keys: string;
  icon: typeof Table2;
  View: ComponentType<LayoutProps>;
  /** What the display button offers instead of the fields on cards. */
  Display?: ComponentType<DisplayProps>;
}

/** All but the board are loaded when they are first opened. */
export const layouts: { [name in LayoutName]: BoardLayout } = {
  board: { keys: 'v b', icon: SquareKanban, View: BoardColumns },
  table: {
    keys: 'v t',
    icon: Table2,
    View: lazyView(
      withTexts('table', () => import('./table/board-table.tsx')),
      'default',
    ),
    Display: lazyView(
      withTexts('table', () => import('./table/table-display.tsx')),
      'default',
    ),
  },
  calendar: {
    keys: 'v c',
    icon: Calendar,
    View: lazyView(
      withTexts('calendar', () => import('./calendar/board-calendar.tsx')),
      'default',
    ),
    Display: lazyView(
      withTexts('calendar', () => import('./calendar/calendar-display.tsx')),
      'default',
    ),
  },
};
