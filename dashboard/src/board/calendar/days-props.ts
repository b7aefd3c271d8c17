import type { Card } from '../../../../contract/dashboard.ts';
import type { LayoutProps } from '../data/layout-props.ts';
import type { DateField } from './calendar-data.ts';
import type { Day } from './calendar-days.ts';

/** What the grid and the list by day receive. */
export interface DaysProps {
  board: LayoutProps['board'];
  field: DateField;
  label: string;
  weeks: Day[][];
  days: ReadonlyMap<Day, Card[]>;
  isLoading: boolean;
  /** A day of the month that is shown. */
  month: Day;
  /** The day that has the focus, or gets it. */
  active: Day;
  onActive(day: Day): void;
  /** Shows the period of a day too. */
  onGo(day: Day): void;
  openId: string | null;
  onOpen(card: Card): void;
  adding: Day | null;
  onAdding(day: Day | null): void;
  onMove(card: Card, day: Day): void;
}
